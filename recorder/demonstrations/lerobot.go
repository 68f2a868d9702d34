package demonstrations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// maxVector is the most values of a vector of a row.
const maxVector = 1 << 20

// Images is the beginning of the names of features of pictures in LeRobot.
const Images = "observation.images."

// lerobotInfo is what meta/info.json of a dataset says.
type lerobotInfo struct {
	Version  string `json:"codebase_version"`
	Frames   int64  `json:"total_frames"`
	Features map[string]struct {
		Type  string          `json:"dtype"`
		Shape []int           `json:"shape"`
		Names json.RawMessage `json:"names"`
	} `json:"features"`
}

// openLeRobot opens a LeRobot v3 dataset, of which it reads observation.state, observation.images, action and
// episode_index, and where it has them next.reward and next.terminated or next.done. Of ours, next.reward_steps says
// how many control steps a reward is of, and what only others than the policy observed follows behind
// observation.state.
func openLeRobot(dir string) (*Set, error) {
	var info lerobotInfo
	if err := readJSON(filepath.Join(dir, "meta", "info.json"), &info); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(info.Version, "v3.") {
		return nil, fmt.Errorf("it is of LeRobot %q, want v3", info.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(info.Features)) {
		if err := format.CheckName(name); err != nil { // videos are in a folder of this name
			return nil, fmt.Errorf("a feature: %w", err)
		}
	}
	observation, observed, err := info.observation()
	if err != nil {
		return nil, err
	}
	action, err := info.vector("action")
	if err != nil {
		return nil, err
	}
	r := lerobotRows{dir: dir, rewards: info.rewards(),
		columns: append([]column{{"action", action.Len}, {"episode_index", 1}}, observed...)}
	if r.files, err = filepath.Glob(filepath.Join(dir, "data", "chunk-*", "file-*.parquet")); err != nil {
		return nil, err
	}
	if len(r.files) == 0 {
		return nil, errors.New("it has no data/chunk-000/file-000.parquet, want rows")
	}
	r.set = &Set{Format: "lerobot", Observation: observation, Action: action, Rows: info.Frames,
		Configuration: sourceOf(dir), Pictures: info.pictures(), Rewarded: len(r.rewards) > 0, eachRow: r.each}
	digested := slices.Clone(r.files)
	for _, p := range r.set.Pictures {
		digested = append(digested, videosOf(dir, p.Name)...)
	}
	if r.set.Digest, err = digestOf(digested); err != nil {
		return nil, err
	}
	return r.set, nil
}

// vector returns the values of a feature that is a vector of numbers.
func (i *lerobotInfo) vector(name string) (v Values, err error) {
	f, known := i.Features[name]
	if !known || len(f.Shape) != 1 || f.Shape[0] < 1 || f.Shape[0] > maxVector ||
		!slices.Contains([]string{"float32", "float64", "int64", "int32"}, f.Type) {
		return v, fmt.Errorf("its feature %s has the shape %v and the type %q, want a vector of numbers", name,
			f.Shape, f.Type)
	}
	v = Values{Len: f.Shape[0], Choices: -1}
	var names []string
	if json.Unmarshal(f.Names, &names) == nil && len(names) == v.Len { // other projects have other forms of names
		v.Names = names
	}
	return v, nil
}

// observation returns the values of observation.state and, behind them, of what other observers than the policy saw, who
// are known by the names of their values. The columns have them in this order.
func (i *lerobotInfo) observation() (v Values, columns []column, err error) {
	if v, err = i.vector("observation.state"); err != nil {
		return v, nil, err
	}
	columns = []column{{"observation.state", v.Len}}
	for _, name := range slices.Sorted(maps.Keys(i.Features)) {
		if !strings.HasPrefix(name, format.Privileged) || v.Names == nil {
			continue
		}
		more, err := i.vector(name)
		if err != nil {
			return v, nil, err
		}
		if more.Names != nil {
			columns = append(columns, column{name, more.Len})
			v.Len += more.Len
			v.Names = append(v.Names, more.Names...)
		}
	}
	return v, columns, nil
}

// pictures returns the features that are images or videos, by name.
func (i *lerobotInfo) pictures() (pictures []Picture) {
	for _, name := range slices.Sorted(maps.Keys(i.Features)) {
		f := i.Features[name]
		if !strings.HasPrefix(name, Images) || f.Type != "image" && f.Type != "video" || len(f.Shape) != 3 {
			continue
		}
		p := Picture{name, f.Shape[1], f.Shape[0], f.Shape[2], f.Type == "video"}
		var names []string
		if json.Unmarshal(f.Names, &names) == nil && len(names) == 3 && strings.HasPrefix(names[0], "channel") {
			p.Channels, p.Height, p.Width = f.Shape[0], f.Shape[1], f.Shape[2]
		}
		pictures = append(pictures, p)
	}
	return pictures
}

// rewards returns the columns of the reward, of whether the episode ended by it and, of ours, of how many control steps it
// is of; none where the dataset does not say both of the first.
func (i *lerobotInfo) rewards() []column {
	ends := "next.done" // the name that recordings of other programs have
	if _, known := i.Features["next.terminated"]; known {
		ends = "next.terminated"
	}
	var columns []column
	for _, name := range []string{"next.reward", ends, "next.reward_steps"} {
		if _, known := i.Features[name]; known {
			columns = append(columns, column{name, 1})
		} else if len(columns) < 2 {
			return nil
		}
	}
	return columns
}

// lerobotRows reads the rows of a dataset.
type lerobotRows struct {
	dir              string
	files            []string
	columns, rewards []column // first action and episode_index, then what was observed
	set              *Set
}

// each is [Set.eachRow].
func (r *lerobotRows) each(ctx context.Context, wanted []format.Column, f func(Row) error, ends map[int64]End) error {
	columns := r.columns
	if ends != nil {
		columns = slices.Concat(columns, r.rewards)
	}
	seen, err := newAlbum(ctx, r.set, r.dir, wanted)
	if err != nil {
		return err
	}
	defer seen.close()
	row := Row{Number: -1, Observation: make([]float64, 0, r.set.Observation.Len)}
	for _, path := range r.files {
		err := eachParquetRow(path, columns, seen.stored, func(values [][]float64, files [][]byte) error {
			row.Number++
			if err := seen.turn(files); err != nil {
				return fmt.Errorf("row %d: %w", row.Number, err)
			}
			row.Action, row.Episode, row.Pictures = values[0], int64(values[1][0]), seen.pages
			row.Observation = row.Observation[:0]
			for _, part := range values[2:len(r.columns)] {
				row.Observation = append(row.Observation, part...)
			}
			if ends != nil {
				end, follows := ends[row.Episode]
				row.Earned, row.Over, row.Follows = end.Earned, end.Over, follows
				noteEnd(ends, row.Episode, values[len(r.columns):])
			}
			return f(row)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return seen.end()
}

// noteEnd notes what the last row of an episode earned, in the columns of rewards, and whether that ended the episode.
func noteEnd(ends map[int64]End, episode int64, reward [][]float64) {
	if len(reward) > 2 && reward[2][0] != 1 { // the rewards of the steps between are not known
		delete(ends, episode)
		return
	}
	ends[episode] = End{reward[0][0], reward[1][0] != 0}
}

// column is one of a file, and the number of its values in a row.
type column struct {
	name string
	size int
}

// eachParquetRow reads columns of a file of frames, a row group at a time, and calls f with the values of each row and
// with the files of its pictures.
func eachParquetRow(path string, columns []column, pictures []string, f func(values [][]float64, files [][]byte) error) error {
	stored, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer stored.Close()
	r, err := file.NewParquetReader(stored)
	if err != nil {
		return err
	}
	schema := r.MetaData().Schema
	leaf := func(name string) (int, error) {
		for i := range schema.NumColumns() {
			if schema.Column(i).ColumnPath()[0] == name {
				return i, nil
			}
		}
		return 0, fmt.Errorf("no column %s, want it", name)
	}
	row, files := make([][]float64, len(columns)), make([][]byte, len(pictures))
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		if err := checkRows(group.NumRows(), columns, len(pictures)); err != nil {
			return err
		}
		values := make([][]float64, len(columns))
		for i, c := range columns {
			index, err := leaf(c.name)
			if err == nil {
				values[i], err = numbers(group, index, int(group.NumRows())*c.size)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		pngs := make([][][]byte, len(pictures))
		for i, name := range pictures {
			index, err := leaf(name)
			if err == nil {
				pngs[i], err = contents(group, index, int(group.NumRows()))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for k := range int(group.NumRows()) {
			for i, c := range columns {
				row[i] = values[i][k*c.size : (k+1)*c.size]
			}
			for i := range pictures {
				files[i] = pngs[i][k]
			}
			if err := f(row, files); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRows returns an error unless the values of so many rows, which a file states, need no more memory than a batch of
// rows of ours.
func checkRows(rows int64, columns []column, pictures int) error {
	values := 3 * pictures
	for _, c := range columns {
		values += c.size
	}
	if most := format.MaxBatchBytes / 8 / int64(max(values, 1)); rows < 0 || rows > most {
		return fmt.Errorf("a group has %d rows of %d values, want at most %d rows", rows, values, most)
	}
	return nil
}

// numbers reads a column that has so many values and no nulls.
func numbers(group *file.RowGroupReader, column, want int) ([]float64, error) {
	r, err := group.Column(column)
	if err != nil {
		return nil, err
	}
	var all []float64
	def, rep := make([]int16, max(want, 1)), make([]int16, max(want, 1))
	switch r := r.(type) {
	case *file.Float32ColumnChunkReader:
		all, err = batches(want, func(b []float32) (int64, int, error) {
			return r.ReadBatch(int64(len(b)), b, def, rep)
		}, func(v float32) float64 { return float64(v) })
	case *file.Float64ColumnChunkReader:
		all, err = batches(want, func(b []float64) (int64, int, error) {
			return r.ReadBatch(int64(len(b)), b, def, rep)
		}, func(v float64) float64 { return v })
	case *file.Int64ColumnChunkReader:
		all, err = batches(want, func(b []int64) (int64, int, error) {
			return r.ReadBatch(int64(len(b)), b, def, rep)
		}, func(v int64) float64 { return float64(v) })
	case *file.Int32ColumnChunkReader:
		all, err = batches(want, func(b []int32) (int64, int, error) {
			return r.ReadBatch(int64(len(b)), b, def, rep)
		}, func(v int32) float64 { return float64(v) })
	case *file.BooleanColumnChunkReader:
		all, err = batches(want, func(b []bool) (int64, int, error) {
			return r.ReadBatch(int64(len(b)), b, def, rep)
		}, func(v bool) float64 {
			if v {
				return 1
			}
			return 0
		})
	default:
		return nil, fmt.Errorf("it is %v, want numbers", r.Type())
	}
	if err == nil && r.HasNext() {
		err = fmt.Errorf("it has more than %d values, want as many as its shape says", want)
	}
	return all, err
}

// contents reads a column of files, the first field of LeRobot's pictures, that has so many and no nulls.
func contents(group *file.RowGroupReader, column, want int) ([][]byte, error) {
	r, err := group.Column(column)
	if err != nil {
		return nil, err
	}
	files, ok := r.(*file.ByteArrayColumnChunkReader)
	if !ok {
		return nil, fmt.Errorf("it is %v, want the files of pictures", r.Type())
	}
	def, rep := make([]int16, want), make([]int16, want)
	return batches(want, func(b []parquet.ByteArray) (int64, int, error) {
		return files.ReadBatch(int64(len(b)), b, def, rep)
	}, func(v parquet.ByteArray) []byte { return bytes.Clone(v) })
}

// batches reads so many values, in as many calls as it takes, each as another.
func batches[T, U any](want int, read func([]T) (int64, int, error), as func(T) U) ([]U, error) {
	all, batch := make([]U, 0, want), make([]T, want)
	for len(all) < want {
		levels, values, err := read(batch[:want-len(all)])
		if err != nil {
			return nil, err
		}
		if levels == 0 || levels != int64(values) {
			return nil, fmt.Errorf("it has nulls, or %d values, want %d and none", len(all)+values, want)
		}
		for _, v := range batch[:values] {
			all = append(all, as(v))
		}
	}
	return all, nil
}

// sourceOf returns the configuration that an export of package export keeps; "" without one.
func sourceOf(dir string) string {
	var source struct {
		Metadata format.Metadata `json:"metadata"`
	}
	if readJSON(filepath.Join(dir, "source.json"), &source) != nil {
		return ""
	}
	return source.Metadata.Configuration
}

// digestOf returns the CRC-32C of files, one after the other, in hexadecimal.
func digestOf(files []string) (string, error) {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, path := range files {
		f, err := disk.Open(path)
		if err == nil {
			_, err = io.Copy(sum, f)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%08x", sum.Sum32()), nil
}

func readJSON(path string, v any) error {
	text, err := disk.ReadFile(path, disk.MaxText)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
