package demonstrations

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/parquet/file"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// openLeRobot opens a LeRobot v3 dataset, of which it reads observation.state, action and episode_index.
func openLeRobot(dir string) (*Set, error) {
	var info struct {
		Version  string `json:"codebase_version"`
		Frames   int64  `json:"total_frames"`
		Features map[string]struct {
			Type  string          `json:"dtype"`
			Shape []int           `json:"shape"`
			Names json.RawMessage `json:"names"`
		} `json:"features"`
	}
	if err := readJSON(filepath.Join(dir, "meta", "info.json"), &info); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(info.Version, "v3.") {
		return nil, fmt.Errorf("it is of LeRobot %q, want v3", info.Version)
	}
	values := func(name string) (v Values, err error) {
		f, known := info.Features[name]
		if !known || len(f.Shape) != 1 || !slices.Contains([]string{"float32", "float64", "int64", "int32"}, f.Type) {
			return v, fmt.Errorf("its feature %s has the shape %v and the type %q, want a vector of numbers", name, f.Shape,
				f.Type)
		}
		v = Values{Len: f.Shape[0], Choices: -1}
		var names []string
		if json.Unmarshal(f.Names, &names) == nil && len(names) == v.Len { // other projects have other forms of names
			v.Names = names
		}
		return v, nil
	}
	observation, err := values("observation.state")
	if err != nil {
		return nil, err
	}
	action, err := values("action")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "chunk-*", "file-*.parquet"))
	if err == nil && len(files) == 0 {
		err = errors.New("it has no data/chunk-000/file-000.parquet, want rows")
	}
	if err != nil {
		return nil, err
	}
	s := &Set{Format: "lerobot", Observation: observation, Action: action, Rows: info.Frames, Configuration: sourceOf(dir)}
	if s.Digest, err = digestOf(files); err != nil {
		return nil, err
	}
	s.each = func(f func(int64, []float64, []float64) error) error {
		for _, path := range files {
			if err := eachParquetRow(path, observation.Len, action.Len, f); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	}
	return s, nil
}

// eachParquetRow reads a file of frames, a row group at a time.
func eachParquetRow(path string, observed, acted int, f func(int64, []float64, []float64) error) error {
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return err
	}
	defer r.Close()
	schema := r.MetaData().Schema
	leaf := func(name string) (int, error) {
		for i := range schema.NumColumns() {
			if schema.Column(i).ColumnPath()[0] == name {
				return i, nil
			}
		}
		return 0, fmt.Errorf("no column %s, want it", name)
	}
	names, sizes := [...]string{"observation.state", "action", "episode_index"}, [...]int{observed, acted, 1}
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		var columns [len(names)][]float64
		for i, name := range names {
			at, err := leaf(name)
			if err == nil {
				columns[i], err = numbers(group, at, int(group.NumRows())*sizes[i])
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		for k := range int(group.NumRows()) {
			err := f(int64(columns[2][k]), columns[0][k*observed:(k+1)*observed], columns[1][k*acted:(k+1)*acted])
			if err != nil {
				return err
			}
		}
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
		all, err = batches(want, func(to []float32) (int64, int, error) { return r.ReadBatch(int64(len(to)), to, def, rep) })
	case *file.Float64ColumnChunkReader:
		all, err = batches(want, func(to []float64) (int64, int, error) { return r.ReadBatch(int64(len(to)), to, def, rep) })
	case *file.Int64ColumnChunkReader:
		all, err = batches(want, func(to []int64) (int64, int, error) { return r.ReadBatch(int64(len(to)), to, def, rep) })
	case *file.Int32ColumnChunkReader:
		all, err = batches(want, func(to []int32) (int64, int, error) { return r.ReadBatch(int64(len(to)), to, def, rep) })
	default:
		return nil, fmt.Errorf("it is %v, want numbers", r.Type())
	}
	if err == nil && r.HasNext() {
		err = fmt.Errorf("it has more than %d values, want as many as its shape says", want)
	}
	return all, err
}

// batches reads so many values, in as many calls as it takes.
func batches[T float32 | float64 | int64 | int32](want int, read func([]T) (int64, int, error)) ([]float64, error) {
	all, batch := make([]float64, 0, want), make([]T, want)
	for len(all) < want {
		levels, values, err := read(batch[:want-len(all)])
		if err != nil {
			return nil, err
		}
		if levels == 0 || levels != int64(values) {
			return nil, fmt.Errorf("it has nulls, or %d values, want %d and none", len(all)+values, want)
		}
		for _, v := range batch[:values] {
			all = append(all, float64(v))
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
		f, err := os.Open(path)
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
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
