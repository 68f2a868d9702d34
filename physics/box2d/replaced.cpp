// What takes the place of parts of Box2D, its memory and its clock, so that worlds are small:
// see docs/explanation/decisions.md. Where another Box2D is in the process already, these
// definitions are unused, and all works as it did, with more memory.

#include <box2d/box2d.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>

#include "shim.h"

namespace {

// Sizes of blocks, one for each list of free ones.
constexpr int32 kSizes[b2_blockSizeCount] = {16,  32,  48,  64,  80,  96,  112,
                                             128, 192, 224, 272, 320, 448, 640};

constexpr int32 kLargest = kSizes[b2_blockSizeCount - 1];
constexpr int32 kFirstChunk = 2 << 10, kLargestChunk = 16 << 10;

// Index in kSizes of the smallest that holds size.
int List(int32 size) {
  return size <= 128 ? (size - 1) / 16 : int(std::lower_bound(kSizes, std::end(kSizes), size) - kSizes);
}

std::atomic<int64_t> bytes{0};  // of all chunks

// Working memory of a step, one for each thread: a stack.
struct Stack {
  static constexpr size_t kSize = b2_stackSize;
  alignas(16) char data[kSize];
  size_t used = 0;
};

// On the heap: a library with Go's runtime has little thread-local memory of its own.
Stack& Own() {
  thread_local std::unique_ptr<Stack> stack(new Stack);
  return *stack;
}

// In front of each piece of the stack: how much was used before it, kSize for a piece that
// is on the heap.
struct alignas(16) Piece {
  size_t before;
};

}  // namespace

struct b2Block {
  b2Block* next;
};

// A chunk is followed by its blocks. Those from m_chunkSpace bytes before the end of the
// newest on have never been used.
struct alignas(16) b2Chunk {
  b2Chunk* next;
  int32 size;
};

b2BlockAllocator::b2BlockAllocator() : m_chunks(nullptr), m_chunkCount(0), m_chunkSpace(0) {
  std::fill(m_freeLists, std::end(m_freeLists), nullptr);
}

b2BlockAllocator::~b2BlockAllocator() { Clear(); }

void* b2BlockAllocator::Allocate(int32 size) {
  if (size <= 0) {
    return nullptr;
  }
  if (size > kLargest) {
    return b2Alloc(size);
  }
  int list = List(size);
  if (b2Block* block = m_freeLists[list]) {
    m_freeLists[list] = block->next;
    return block;
  }
  if (m_chunkSpace < kSizes[list]) {
    int32 room = m_chunks ? std::min(2 * m_chunks->size, kLargestChunk) : kFirstChunk;
    auto* chunk = static_cast<b2Chunk*>(b2Alloc(room));
    *chunk = {m_chunks, room};
    bytes += room;
    m_chunks = chunk;
    m_chunkCount++;
    m_chunkSpace = room - int32(sizeof(b2Chunk));
  }
  char* at = reinterpret_cast<char*>(m_chunks) + m_chunks->size - m_chunkSpace;
  m_chunkSpace -= kSizes[list];
  return at;
}

void b2BlockAllocator::Free(void* p, int32 size) {
  if (size <= 0) {
    return;
  }
  if (size > kLargest) {
    b2Free(p);
    return;
  }
  int list = List(size);
  m_freeLists[list] = new (p) b2Block{m_freeLists[list]};
}

void b2BlockAllocator::Clear() {
  while (b2Chunk* chunk = m_chunks) {
    m_chunks = chunk->next;
    bytes -= chunk->size;
    b2Free(chunk);
  }
  m_chunkCount = m_chunkSpace = 0;
  std::fill(m_freeLists, std::end(m_freeLists), nullptr);
}

// Pieces are given back in the reverse order, also by worlds that are stepped inside a step
// of another.
void* b2StackAllocator::Allocate(int32 size) {
  size_t want = sizeof(Piece) + (size_t(size) + 15) / 16 * 16;
  Stack& stack = Own();
  bool fits = want <= Stack::kSize - stack.used;
  char* at = fits ? stack.data + stack.used : static_cast<char*>(b2Alloc(int32(want)));
  auto* piece = new (at) Piece{fits ? stack.used : Stack::kSize};
  stack.used += fits ? want : 0;
  return piece + 1;
}

void b2StackAllocator::Free(void* p) {
  Piece* piece = static_cast<Piece*>(p) - 1;
  if (piece->before == Stack::kSize) {
    b2Free(piece);
  } else {
    Own().used = piece->before;
  }
}

// Box2D asks the clock a dozen times a step for a profile that nobody reads.
b2Timer::b2Timer() {}
void b2Timer::Reset() {}
float b2Timer::GetMilliseconds() const { return 0; }

// What Box2D does not check, it would write to.
void* b2Alloc_Default(int32 size) {
  void* p = std::malloc(size_t(std::max(size, 1)));
  if (!p) {
    throw std::bad_alloc();
  }
  return p;
}

void b2Free_Default(void* p) { std::free(p); }

int64_t pb_chunkBytes() { return bytes; }
