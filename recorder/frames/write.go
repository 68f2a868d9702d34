package frames

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// shardBytes is the size at which a stream is ended and a new one begun.
const shardBytes = 512 << 20

// keys are the columns that are copied from the table capture.
var keys = []arrow.Field{
	{Name: "episode", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "world", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "t_ns", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}

// picture is the Arrow type of Hugging Face's feature Image.
var picture = arrow.StructOf(
	arrow.Field{Name: "bytes", Type: arrow.BinaryTypes.Binary, Nullable: true},
	arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true},
)

// writer writes the streams of a folder.
type writer struct {
	dir    string
	schema *arrow.Schema
	about  string
	hash   hash.Hash // of the streams' bytes

	file   disk.File
	buffer *bufio.Writer
	size   int64
	stream *ipc.Writer
	shards int
}

func newWriter(dir string, j *job) (*writer, error) {
	features := map[string]any{}
	fields := append([]arrow.Field{}, keys...)
	for _, key := range keys {
		features[key.Name] = map[string]string{"dtype": key.Type.Name(), "_type": "Value"}
	}
	for _, kind := range j.opt.Kinds {
		fields = append(fields, arrow.Field{Name: kind, Type: picture, Nullable: true})
		features[kind] = map[string]string{"_type": "Image"}
	}
	info, err := json.Marshal(map[string]any{"info": map[string]any{"features": features}})
	if err != nil {
		return nil, err
	}
	metadata := arrow.NewMetadata([]string{"huggingface"}, []string{string(info)})
	w := &writer{
		dir: dir, schema: arrow.NewSchema(fields, &metadata), hash: sha256.New(),
		about: fmt.Sprintf("Pictures of the camera %s, %d × %d pixels, in the pose of each row of the table %s.",
			j.opt.Camera, j.opt.Width, j.opt.Height, j.table.Name),
	}
	return w, w.open()
}

func (w *writer) open() (err error) {
	if w.file, err = (disk.OS{}).Create(filepath.Join(w.dir, folder.PartName(w.shards))); err != nil {
		return err
	}
	w.shards++
	w.size = 0
	w.buffer = bufio.NewWriterSize(w.file, 1<<18)
	w.stream = ipc.NewWriter(io.MultiWriter(w.buffer, w.hash, w), ipc.WithSchema(w.schema))
	return nil
}

// Write counts the bytes of a stream.
func (w *writer) Write(p []byte) (int, error) {
	w.size += int64(len(p))
	return len(p), nil
}

// batch writes the rows of a worker.
func (w *writer) batch(from *worker) error {
	if w.size >= shardBytes {
		if err := w.closeShard(); err != nil {
			return err
		}
		if err := w.open(); err != nil {
			return err
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, w.schema)
	defer b.Release()
	drawn := 0
	for i, seen := range from.seen {
		b.Field(0).(*array.Int64Builder).Append(from.episodes[i])
		b.Field(1).(*array.Int32Builder).Append(int32(from.worlds[i]))
		b.Field(2).(*array.Int64Builder).Append(from.times[i])
		for k := range from.kinds {
			column := b.Field(len(keys) + k).(*array.StructBuilder)
			if !seen {
				column.AppendNull()
				continue
			}
			column.Append(true)
			column.FieldBuilder(0).(*array.BinaryBuilder).Append(from.pictures[k][drawn])
			column.FieldBuilder(1).AppendNull()
		}
		if seen {
			drawn++
		}
	}
	record := b.NewRecord()
	defer record.Release()
	return w.stream.Write(record)
}

func (w *writer) closeShard() error {
	err := w.stream.Close()
	if flushed := w.buffer.Flush(); err == nil {
		err = flushed
	}
	if closed := w.file.Close(); err == nil {
		err = closed
	}
	w.file = nil
	return err
}

// close gives the streams their names and writes the files that load_from_disk needs.
func (w *writer) close() error {
	if err := w.closeShard(); err != nil {
		return err
	}
	fsys := disk.OS{}
	for i := range w.shards {
		from, to := folder.PartName(i), folder.ShardName(i, w.shards)
		if err := fsys.Rename(filepath.Join(w.dir, from), filepath.Join(w.dir, to)); err != nil {
			return err
		}
	}
	for name, value := range map[string]any{
		folder.InfoFile:  map[string]string{"description": w.about}, // the streams' schema has the features
		folder.StateFile: folder.NewState(w.shards, w.hash.Sum(nil)),
	} {
		if err := disk.Replace(fsys, filepath.Join(w.dir, name), false, disk.JSON(value)); err != nil {
			return err
		}
	}
	return nil
}

// discard gives up, after an error.
func (w *writer) discard() {
	if w.file != nil {
		w.file.Close()
	}
}
