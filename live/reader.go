package live

import (
	"context"
	"errors"
	"time"
)

// reader waits for what the server has for a [Client], a [Capture] or a [Decider]. One
// goroutine at a time may call Next; the other methods may be called from any goroutine.
type reader struct {
	hub   *hub          // its lock guards the fields after onEnd
	wake  chan struct{} // 1: there may be something
	done  chan struct{} // closed with err
	take  func() bool   // takes what there is and reports whether there was something; the lock is held
	onEnd func()        // called as it ends; the lock is held

	err      error
	waiting  bool      // a call of Next waits
	lastRead time.Time // when Next was called last
}

// open begins to read. The lock is held.
func (r *reader) open(h *hub, take func() bool, onEnd func()) {
	*r = reader{
		hub: h, take: take, onEnd: onEnd, wake: make(chan struct{}, 1), done: make(chan struct{}), lastRead: time.Now(),
	}
	h.readers[r] = true
}

// next waits until take has taken something, or nothing can come any more.
func (r *reader) next(ctx context.Context) error {
	for {
		if got, err := r.tryTake(); got || err != nil {
			return err
		}
		select {
		case <-r.wake:
		case <-r.done:
		case <-ctx.Done():
			r.hub.mu.Lock()
			defer r.hub.mu.Unlock()
			r.waiting, r.lastRead = false, time.Now()
			return ctx.Err()
		}
	}
}

func (r *reader) tryTake() (got bool, err error) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.err != nil {
		return false, r.err
	}
	got = r.take()
	r.waiting, r.lastRead = !got, time.Now()
	return got, nil
}

// slow reports whether nobody has read for too long. The lock is held.
func (r *reader) slow(now time.Time) bool { return !r.waiting && now.Sub(r.lastRead) > slowAfter }

// end ends the reader, unless it has ended. The lock is held.
func (r *reader) end(err error) {
	if r.err != nil {
		return
	}
	r.err = err
	close(r.done)
	delete(r.hub.readers, r)
	r.onEnd()
}

// hasEnded reports whether the reader has ended, without the lock.
func (r *reader) hasEnded() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

func (r *reader) signal() { poke(r.wake) }

// poke wakes who waits for a channel that holds one signal.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Ended is closed when nothing more can be read: the server has ended, the reader was too
// slow or has been closed, or its session goes on elsewhere.
func (r *reader) Ended() <-chan struct{} { return r.done }

// Err is why nothing more can be read, ErrSlow for example; nil while something can.
func (r *reader) Err() error {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	return r.err
}

// Close ends reading. The session of a client can be joined again for a minute; the decisions
// of a decider are withdrawn.
func (r *reader) Close() {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.end(errors.New("the client has closed it"))
}
