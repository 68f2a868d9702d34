package frames

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// Merge gives a dataset the pictures of those cameras of which each of its slices, given by their folders, has some of
// the same size and kinds. Their files have the bytes that [Add] writes. It returns the names of the cameras, and of
// those that it left out.
func Merge(ctx context.Context, d *recorder.Dataset, folders []string) (merged, leftOut []string, err error) {
	cameras := map[string][]*recorder.Dataset{}
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "camera-*"))
		if err != nil {
			return nil, nil, err
		}
		for _, pictures := range found {
			p, err := recorder.Open(pictures)
			if errors.Is(err, fs.ErrNotExist) {
				continue // other pictures
			}
			if err != nil {
				return nil, nil, err
			}
			name := strings.TrimPrefix(filepath.Base(pictures), "camera-")
			cameras[name] = append(cameras[name], p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cameras)) {
		parts := cameras[name]
		differs := func(p *recorder.Dataset) bool { return !reflect.DeepEqual(p.Tables, parts[0].Tables) }
		if len(parts) < len(folders) || slices.ContainsFunc(parts, differs) {
			leftOut = append(leftOut, name)
			continue
		}
		err := disk.NewFolder(disk.OS{}, Folder(d.Dir(), name), recorder.Owns, func(partial string) error {
			return mergeCamera(ctx, d, parts, partial)
		})
		if err != nil {
			return nil, nil, fmt.Errorf("pictures of the camera %s: %w", name, err)
		}
		merged = append(merged, name)
	}
	return merged, leftOut, nil
}

// mergeCamera writes the rows of parts, each of which has some in the order of those of d, in that order.
func mergeCamera(ctx context.Context, d *recorder.Dataset, parts []*recorder.Dataset, partial string) error {
	table := parts[0].Tables[0]
	w, err := recorder.Create(partial, []format.Table{table}, 1, d.Metadata, recorder.Options{BatchRows: batchRows})
	if err != nil {
		return err
	}
	defer w.Abort() // unless it is closed
	rows, most, n := w.BlockWriter(0), rowsOfBatch(format.NewLayout(&table)), int64(0)
	sources := make([]*source, len(parts))
	for i, p := range parts {
		sources[i] = &source{}
		sources[i].pull, sources[i].stop = iter.Pull2(p.EachRow(Table))
		defer sources[i].stop()
		if err := sources[i].next(); err != nil {
			return err
		}
	}
	for r, err := range d.EachRow(format.CaptureTable) {
		if err != nil {
			return err
		}
		key := keyOf(r)
		i := slices.IndexFunc(sources, func(s *source) bool { return s.row != nil && s.key == key })
		if i < 0 {
			return fmt.Errorf("no slice has one of episode %d in world %d at %d ns next, want one of each row: add "+
				"them anew with --force", key[0], key[1], key[2])
		}
		rows.Begin(0, recorder.Key{N: n}).Copy(sources[i].row)
		if err := sources[i].next(); err != nil {
			return err
		}
		if n++; n%int64(most) == 0 {
			if err := rows.EndSegment(); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	if err := rows.EndSegment(); err != nil {
		return err
	}
	for _, s := range sources {
		if s.row != nil {
			return fmt.Errorf("there are some of rows that the slices lack, such as that of episode %d at %d ns: "+
				"add them anew with --force", s.key[0], s.key[2])
		}
	}
	return w.Close()
}

// source has the next row of a slice's pictures.
type source struct {
	pull func() (*format.RowReader, error, bool)
	stop func()
	row  []byte // the next row; nil at the end
	key  [3]int64
}

func (s *source) next() error {
	r, err, ok := s.pull()
	if err != nil {
		return err
	}
	if s.row = nil; ok {
		s.row, s.key = r.Row, keyOf(r)
		return r.Err
	}
	return nil
}

func keyOf(r *format.RowReader) [3]int64 {
	return [3]int64{r.Int("episode"), r.Int("world"), r.Int("t_ns")}
}
