package format

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// names are those of as many values.
func names(values int) (names []string) {
	for i := range values {
		names = append(names, fmt.Sprint("v", i))
	}
	return names
}

// seeing has lists with pictures of every kind: three kinds in a pixel between other values, colours alone, and a list
// that is a picture; and every kind as floats, normals and colours in one pixel.
func seeing() Table {
	table := Table{Name: "control", Columns: []Column{
		{Name: "episode", Kind: Int64},
		{Name: "observation", Kind: Float64, Len: 46, Nullable: true, Rate: "50", Pictures: []ListPicture{
			{Name: "front_rgb", Kind: physics.RGB, Width: 3, Height: 2, First: 2, Step: 5, Scale: 1},
			{Name: "front_depth", Kind: physics.Depth, Width: 3, Height: 2, First: 5, Step: 5, Scale: 0.3, Far: 3.3},
			{Name: "front_segmentation", Kind: physics.Segmentation, Width: 3, Height: 2, First: 6, Step: 5, Scale: 0.1},
			{Name: "back_rgb", Kind: physics.RGB, Width: 2, Height: 2, First: 33, Step: 3, Scale: -0.37},
		}},
		{Name: "stamp", Kind: Int64, Nullable: true},
		{Name: "whole", Kind: Float64, Len: 3, Pictures: []ListPicture{
			{Name: "whole_depth", Kind: physics.Depth, Width: 3, Height: 1, Step: 1, Scale: 1, Far: 0.5}}},
		{Name: "noisy", Kind: Float64, Len: 24, Nullable: true, Pictures: []ListPicture{
			{Name: "noisy_normals", Kind: physics.Normals, Width: 1, Height: 2, First: 1, Step: 6, Floats: true, Scale: 1},
			{Name: "noisy_rgb", Kind: physics.RGB, Width: 1, Height: 2, First: 4, Step: 6, Floats: true, Scale: -0.7},
			{Name: "noisy_depth", Kind: physics.Depth, Width: 3, Height: 1, First: 14, Step: 2, Floats: true, Scale: 1e-9},
			{Name: "noisy_segmentation", Kind: physics.Segmentation, Width: 3, Height: 1, First: 15, Step: 2, Floats: true,
				Scale: 3e9},
		}},
	}}
	table.Columns[1].SetNames(names(46))
	table.Columns[4].SetNames(names(24))
	return table
}

// seen draws values of a list as sensors and terms compute them.
func seen(random *rand.Rand, c *Column) []float64 {
	v := make([]float64, c.Len)
	for i := range v {
		v[i] = random.NormFloat64()
	}
	for _, p := range c.Pictures {
		for pixel := range p.Width * p.Height {
			at := v[p.First+pixel*p.Step:]
			switch {
			case p.Floats:
				for i := range physics.ChannelsOf(p.Kind) {
					at[i] = float64(float32(random.NormFloat64() * math.Exp2(float64(random.IntN(60)-30))))
					at[i] *= p.Scale
				}
			case p.Kind == physics.RGB:
				for i := range 3 {
					at[i] = float64(byte(random.Uint32())) / 255
					at[i] *= p.Scale
				}
			case p.Kind == physics.Depth:
				if at[0] = float64(float32(random.Float64() * 1.2 * p.Far)); at[0] > p.Far {
					at[0] = p.Far
				}
				at[0] *= p.Scale
			default:
				at[0] = float64(random.IntN(math.MaxUint16+1) - 1)
				at[0] *= p.Scale
			}
		}
	}
	return v
}

func bitsOf(values []float64) []uint64 {
	bits := make([]uint64, len(values))
	for i, v := range values {
		bits[i] = math.Float64bits(v)
	}
	return bits
}

// The values of lists with pictures come back to the last bit, from rows and from records, whose pictures are PNG.
func TestListsOfPicturesKeepTheirBits(t *testing.T) {
	table := seeing()
	polytest.NoError(t, ValidateTables([]Table{table}))
	l, random := NewLayout(&table), rand.New(rand.NewPCG(1, 2))
	const rows = 300
	var data []byte
	var want [rows][3][]float64 // nil: null
	for i := range want {
		row := l.Row(l.Extend(nil))
		row.Int(0, int64(i))
		if i%7 != 3 {
			want[i][0] = seen(random, &table.Columns[1])
			polytest.NoError(t, row.Observation(1, want[i][0]))
			row.Int(2, int64(-i))
		}
		want[i][1] = seen(random, &table.Columns[3])
		row.Floats(3, want[i][1])
		if i%5 != 0 {
			want[i][2] = seen(random, &table.Columns[4])
			row.Floats(4, want[i][2])
		}
		data = append(data, row.bytes...)
	}
	check := func(data []byte, what string) {
		t.Helper()
		polytest.Equal(t, len(data), rows*l.Stride, "bytes")
		for i := range want {
			row := data[i*l.Stride:][:l.Stride]
			polytest.Equal(t, l.Int(row, 0), int64(i), "%s", what)
			polytest.Equal(t, l.IsNull(row, 2), want[i][0] == nil, "%s", what)
			for k, column := range [...]int{1, 3, 4} {
				polytest.Equal(t, l.IsNull(row, column), want[i][k] == nil, "%s", what)
				if want[i][k] == nil {
					continue
				}
				polytest.EqualSlices(t, bitsOf(l.Floats(row, column)), bitsOf(want[i][k]), "%s, row %d", what, i)
				one := make([]float64, l.Values(column))
				for n := range one {
					one[n] = l.Float(row, column, n)
				}
				polytest.EqualSlices(t, bitsOf(one), bitsOf(want[i][k]), "%s, row %d, one by one", what, i)
			}
		}
	}
	check(data, "rows")
	schema := table.ArrowSchema(nil)
	record := l.Record(schema, data)
	defer record.Release()
	back, err := l.AppendRecord([]byte{}, record)
	polytest.NoError(t, err)
	check(back, "a record")
	polytest.Equal(t, string(back), string(data), "bytes of rows")

	var fields []string
	for _, f := range schema.Fields() {
		fields = append(fields, f.Name+" "+f.Type.String())
	}
	polytest.EqualSlices(t, fields, []string{"episode int64", "observation fixed_size_list<item: float64, nullable>[4]",
		"front_rgb " + pictureType.String(), "front_depth fixed_size_list<item: float32, nullable>[6]",
		"front_segmentation " + pictureType.String(), "back_rgb " + pictureType.String(), "stamp int64",
		"whole_depth fixed_size_list<item: float32, nullable>[3]",
		"noisy fixed_size_list<item: float64, nullable>[6]",
		"noisy_normals " + pictureType.String(), "noisy_rgb " + pictureType.String(),
		"noisy_depth " + pictureType.String(), "noisy_segmentation " + pictureType.String()}, "fields")
	about := func(field, key string) string {
		value, _ := schema.Field(schema.FieldIndices(field)[0]).Metadata.GetValue(key)
		return value
	}
	polytest.Equal(t, about("observation", "names"), "v0,v1,v32,v45", "names of the values that are no pixels")
	polytest.Equal(t, about("back_rgb", "list"), `{"column":"observation","name":"back_rgb","kind":"rgb","width":2,`+
		`"height":2,"first":33,"step":3,"scale":-0.37}`, "description of a picture")
	polytest.Equal(t, about("noisy_rgb", "list"), `{"column":"noisy","name":"noisy_rgb","kind":"rgb","width":1,`+
		`"height":2,"first":4,"step":6,"floats":true,"scale":-0.7}`, "description of a picture of floats")
	all := table.Columns[1].ValueNames()
	polytest.Equal(t, fmt.Sprint(len(all), all[0], all[1], all[2], all[32], all[33], all[45]), "46v0v1v32v45",
		"names of all values, which pixels have not")
	depth := record.Column(schema.FieldIndices("front_depth")[0]).(*array.FixedSizeList)
	polytest.Equal(t, depth.NullN(), rows/7+1, "depths that are null")
	// Whoever does not know of lists reads the storage.
	storage := l.Storage()
	plain := storage.Record(arrow.NewSchema(schema.Fields(), nil), data)
	defer plain.Release()
	polytest.Equal(t, array.RecordEqual(plain, record), true, "the storage's record")
	polytest.EqualSlices(t, storage.Bytes(data, storage.Column("whole_depth")), l.Bytes(data, 3), "the storage's bytes")
}

// A batch with such lists goes on from its state.
func TestStateOfABatchOfPictures(t *testing.T) {
	table := seeing()
	l, random := NewLayout(&table), rand.New(rand.NewPCG(3, 4))
	batch, other := NewBatch(l, 4), NewBatch(l, 4)
	for range 3 {
		row := l.Row(l.Extend(nil))
		row.Int(0, 1)
		row.Floats(1, seen(random, &table.Columns[1]))
		row.Floats(3, seen(random, &table.Columns[3]))
		row.Floats(4, seen(random, &table.Columns[4]))
		batch.AddAll(row.bytes)
	}
	polytest.NoError(t, other.SetState(batch.State()))
	polytest.EqualSlices(t, other.State(), batch.State(), "state")
	polytest.Equal(t, other.Rows(), 3, "rows")
}

// A value that is not exactly what its pixel stores is refused by its number.
func TestInexactPicturesAreRefused(t *testing.T) {
	table := seeing()
	l := NewLayout(&table)
	good := seen(rand.New(rand.NewPCG(5, 6)), &table.Columns[1])
	for _, c := range []struct {
		value int
		wrong float64
	}{
		{2, 0.3}, {3, math.NaN()}, {4, 256. / 255}, {4, -1. / 255}, {2, math.Inf(1)}, {2, math.Inf(-1)}, {2, math.Nextafter(1, 0)},
		{2, math.Copysign(0, -1)}, {33, 0}, {34, 0.37}, {33, 1e300},
		{5, 0.1}, {5, math.NaN()}, {10, 3.4 * 0.3}, {10, math.Inf(1)},
		{6, 0.05}, {6, -0.2}, {6, 6553.5}, {6, 1e30}, {6, math.NaN()}, {31, math.Inf(-1)},
	} {
		values := slices.Clone(good)
		values[c.value] = c.wrong
		err := l.Row(l.Extend(nil)).Observation(1, values)
		want := fmt.Sprintf("value %d of observation is %v, want one that the picture of it stores", c.value, c.wrong)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	noisy := seen(rand.New(rand.NewPCG(7, 8)), &table.Columns[4])
	polytest.NoError(t, l.Row(l.Extend(nil)).Observation(4, noisy))
	for _, k := range []int{1, 6, 10, 14, 23} { // of the kinds
		values := slices.Clone(noisy)
		values[k] = math.Nextafter(values[k], 2*values[k])
		want := fmt.Sprintf("value %d of noisy is %v, want one that the picture of it stores", k, values[k])
		if k == 23 { // no pixel
			polytest.NoError(t, l.Row(l.Extend(nil)).Observation(4, values))
		} else {
			polytest.ErrorContains(t, l.Row(l.Extend(nil)).Observation(4, values), want)
		}
	}
	values := slices.Clone(good)
	values[0], values[45], values[32] = math.NaN(), math.Inf(1), 0.3 // these are no pixels
	polytest.NoError(t, l.Row(l.Extend(nil)).Observation(1, values))
}

func TestPicturesOfListsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(c *Column)
		want   string
	}{
		{func(c *Column) { c.Kind = Float32 }, "want them in lists of float64 alone"},
		{func(c *Column) { c.Pictures[1].Name = "" }, `pictures[1] is "" of kind "depth"`},
		{func(c *Column) { c.Pictures[0].Kind = "grey" }, `of kind "grey", want a name and one of rgb, depth, segmentation, normals`},
		{func(c *Column) { c.Pictures[0].Width = 0 }, "pictures[0] is 0 × 2 pixels"},
		{func(c *Column) { c.Pictures[0].Height = math.MaxInt }, "want them within 46 values"},
		{func(c *Column) { c.Pictures[0].Step = 2 }, "pixels of 2 values, from 2 on"},
		{func(c *Column) { c.Pictures[0].First = -1 }, "from -1 on"},
		{func(c *Column) { c.Pictures[3].First = 35 }, "from 35 on, want them within 46 values"},
		{func(c *Column) { c.Pictures[2].First = 5 }, "pictures[2] has the value 5, which one before it has"},
		{func(c *Column) { c.Pictures[2].Scale = 0 }, "pictures[2] has the scale 0"},
		{func(c *Column) { c.Pictures[2].Scale = math.Inf(1) }, "pictures[2] has the scale +Inf"},
		{func(c *Column) { c.Pictures[0].Far = 1 }, "the latter for depth alone"},
		{func(c *Column) { c.Pictures[1].Far = 0 }, "the largest depth 0"},
		{func(c *Column) { c.Pictures[1].Name = "back_rgb" }, `its picture "back_rgb" has the name of another column`},
		{func(c *Column) { c.Pictures[1].Floats = true }, "the latter for depth alone"},
		{func(c *Column) { c.Pictures[0].Kind = physics.Normals }, "pictures[0] has normals without floats"},
		{func(c *Column) { c.Names = names(46) }, "it has 46 Names, want 4, one per value that is no pixel"},
		{func(c *Column) { c.Pictures[1].Name = "stamp" }, `its picture "stamp" has the name of another column`},
	} {
		table := seeing()
		c.change(&table.Columns[1])
		if err := ValidateTables([]Table{table}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// Datasets without such lists have the version that they had before there were any, and those in which pixels had names
// are read as if they had none; older programs refuse the others.
func TestVersionOfLists(t *testing.T) {
	table := seeing()
	doc := &Document{FormatVersion: VersionOf([]Table{table}), Tables: []Table{table}}
	polytest.Equal(t, doc.FormatVersion, 4, "version with pictures in lists")
	text := polytest.Must(doc.Encode())(t)
	again, err := ParseDocument(text)
	polytest.NoError(t, err)
	if !reflect.DeepEqual(again, doc) {
		t.Errorf("read again as %+v", again)
	}
	exact := seeing()
	exact.Columns = exact.Columns[:4]
	named := &Document{FormatVersion: 3, Tables: []Table{{Name: exact.Name, Columns: slices.Clone(exact.Columns)}}}
	named.Tables[0].Columns[1].Names = names(46)
	again, err = ParseDocument(polytest.Must(named.Encode())(t))
	polytest.NoError(t, err)
	if want := (&Document{FormatVersion: 3, Tables: []Table{exact}}); !reflect.DeepEqual(again, want) {
		t.Errorf("version 3 is read as %+v, want %+v", again, want)
	}
	short := &Document{FormatVersion: 3, Tables: []Table{exact}}
	plain := seeing()
	for _, i := range []int{1, 3, 4} {
		plain.Columns[i].Pictures, plain.Columns[i].Names = nil, nil
	}
	polytest.Equal(t, VersionOf([]Table{plain}), 2, "version without")
	for _, c := range []struct {
		version int
		tables  []Table
		want    string
	}{{2, doc.Tables, "format version is 2, want 4"}, {3, []Table{plain}, "format version is 3, want 2"},
		{3, []Table{{Name: "control", Columns: seeing().Columns[4:]}}, `table "control": column "noisy": format version is 3, want 4 for pictures of floats`},
		{3, short.Tables, `table "control": column "observation": it has 4 Names, want 46, one per value`},
		{4, named.Tables, `table "control": column "observation": it has 46 Names, want 4, one per value that is no pixel`},
		{5, doc.Tables, "format version is 5, want at most 4: a newer program wrote it"}} {
		text := polytest.Must(json.Marshal(map[string]any{"format_version": c.version, "metadata": Metadata{},
			"tables": c.tables, "more": c.version > 4}))(t)
		if c.version < 5 {
			text = polytest.Must((&Document{FormatVersion: c.version, Tables: c.tables}).Encode())(t)
		}
		if _, err := ParseDocument(text); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
