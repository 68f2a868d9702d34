package format

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
)

// The columns that renderers and cameras read.
const (
	InfoColumn    = "info"    // of the control table, with recording.infos: what the task reports of a step
	PoseColumn    = "pose"    // of the capture table: a sample of the engine's probe of that name
	SceneryColumn = "scenery" // of the table of episodes: scenery that does not move during an episode
	// of the capture table: the parameters of the world that pictures show, as its source says
	LookColumn = "look"
)

// Names of the tables that a run records. All but episodes have rows at a binding's rate, keyed by episode, world and
// t_ns.
const (
	CaptureTable  = "capture"  // everything, at the recorder's rate
	ControlTable  = "control"  // what the agent saw and did, at the control rate
	SensorsTable  = "sensors"  // the channels, at the sensors' rate
	EpisodesTable = "episodes" // each episode, when it is closed
)

// Column describes one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Len is 0 for one value per row, else the number of values in each row's list.
	Len int `json:"len,omitempty"`
	// Nullable says whether a row may leave the column unset. The Arrow field is nullable either way: Hugging Face
	// datasets drops the metadata of a table that has a field which is not.
	Nullable bool `json:"nullable,omitempty"`
	// Width above 0 makes the column one of pictures, so many pixels wide: of Uint8 in red, green and blue, of Uint16
	// in grey. Len is the number of their values.
	Width int `json:"width,omitempty"`

	Camera *Calibration `json:"camera,omitempty"` // what made the pictures; nil: not known
	// Segments are what the values above 0 of a segmentation show, in ascending order; nil: not known.
	Segments []Segment `json:"segments,omitempty"`

	// What the values are. Each one that is not empty becomes a key of the Arrow field's metadata.
	Unit   string `json:"unit,omitempty"`   // for instance "rad/s"
	Source string `json:"source,omitempty"` // where the value comes from
	Rate   string `json:"rate,omitempty"`   // how often it changes, where that is not the table's rate
	Frame  string `json:"frame,omitempty"`  // frame of reference of a vector
	// of a channel: "motion", or "force", which is known later; see sensors.Stage
	Stage       string `json:"stage,omitempty"`
	Model       string `json:"model,omitempty"`       // what a sensor adds to the truth: noise, latency and so on
	Description string `json:"description,omitempty"` // one sentence

	// Names are those of the values of a list that are no pixels, in order; nil: none. The Arrow field's metadata joins them
	// with commas. See [Column.ValueNames].
	Names []string `json:"names,omitempty"`

	// Bounds of each of the Len values of an action or observation. Only polyrhythm.json has them.
	Low     []Bound `json:"low,omitempty"` // nil: none
	High    []Bound `json:"high,omitempty"`
	Choices int     `json:"choices,omitempty"` // a single value is one of 0 … Choices−1; 0: values are continuous

	// Pictures are those among the values of a list of float64, which their own columns store; nil: none. Only
	// polyrhythm.json has them.
	Pictures []ListPicture `json:"pictures,omitempty"`

	list string // of a column that stores a picture of a list: which one, as JSON

	// Parts are those of an observation, in order, which have all of its values; nil: all are the policy's, and none is
	// of a picture. Only polyrhythm.json has them.
	Parts []Part `json:"parts,omitempty"`
}

// Sources are those of the values of a list that come from several places, as those of [LookColumn] do.
func (c *Column) Sources() []string { return strings.Split(c.Source, ",") }

// Part is some of the values of an observation.
type Part struct {
	// who observes the values: PolicyGroup or, of values that only a critic sees, another group
	Group   string `json:"group"`
	Len     int    `json:"len"`
	Picture bool   `json:"picture,omitempty"` // the part has the values of a picture
}

// PolicyGroup is the group of what a policy sees.
const PolicyGroup = "policy"

// Privileged is what the names of an export's columns begin with that have what only others than the policy observe.
const Privileged = "privileged."

// ArrowType returns the Arrow type of the column: that of its kind, or a list of fixed size with a nullable child, or,
// of pictures, PNG files as Hugging Face's feature Image.
func (c *Column) ArrowType() arrow.DataType {
	if c.Width > 0 {
		return pictureType
	}
	if c.Len > 0 {
		return arrow.FixedSizeListOf(int32(c.Len), c.Kind.ArrowType())
	}
	return c.Kind.ArrowType()
}

func (c *Column) arrowField() arrow.Field {
	var keys, values []string
	for _, kv := range [...][2]string{
		{"unit", c.Unit}, {"source", c.Source}, {"rate", c.Rate}, {"frame", c.Frame}, {"stage", c.Stage},
		{"model", c.Model}, {"names", strings.Join(c.Names, ",")}, {"description", c.Description},
		{"camera", c.Camera.text()}, {"segments", c.segmentsText()}, {"list", c.list},
	} {
		if kv[1] != "" {
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
	}
	return arrow.Field{Name: c.Name, Type: c.ArrowType(), Nullable: true, Metadata: arrow.NewMetadata(keys, values)}
}

// Table describes one table: a name, which is also its sub-folder's, and its columns.
type Table struct {
	Name        string `json:"name"` // lower-case letters, digits, - and _, starting with a letter
	Rate        string `json:"rate,omitempty"`
	Description string `json:"description,omitempty"`
	// BatchRows is the number of rows in each record batch but the last; 0 means the writer's default. A row survives a
	// kill once its batch is written, so a table that fills slowly wants small batches.
	BatchRows int `json:"batch_rows,omitempty"`
	// FlushSegments is after how many segments a batch that is not full is written; 0 means the writer's default.
	FlushSegments int      `json:"flush_segments,omitempty"`
	Columns       []Column `json:"columns"`
}

// Column returns the place of a column in Columns, −1 if there is none of that name.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// Has reports whether the table has a column of this name.
func (t *Table) Has(column string) bool { return t.Column(column) >= 0 }

// Keyed reports whether the table's rows carry episode, world and time.
func (t *Table) Keyed() bool { return t.Has("episode") && t.Has("world") && t.Has("t_ns") }

// ListsEpisodes reports whether the table has the columns of a run's table of episodes.
func (t *Table) ListsEpisodes() bool {
	return t.Has("episode") && t.Has("world") && t.Has("rows") && t.Has("return")
}

// PartPrefix returns the prefix of the columns in the table of episodes that are about table i; none for the first
// table.
func PartPrefix(tables []Table, i int) string {
	if i == 0 {
		return ""
	}
	return tables[i].Name + "_"
}

// Keys of the Arrow schema's metadata.
const (
	schemaKeyDocument = "polyrhythm"       // key of the bytes of polyrhythm.json
	schemaKeyTable    = "polyrhythm_table" // key of the table's name
)

// ArrowSchema returns the schema of the table's streams, whose metadata holds the text of polyrhythm.json.
func (t *Table) ArrowSchema(document []byte) *arrow.Schema {
	t = t.Storage()
	fields := make([]arrow.Field, len(t.Columns))
	for i := range t.Columns {
		fields[i] = t.Columns[i].arrowField()
	}
	keys, values := []string{schemaKeyTable, schemaKeyDocument}, []string{t.Name, string(document)}
	if features := t.huggingFace(); features != "" {
		keys, values = append(keys, "huggingface"), append(values, features)
	}
	meta := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &meta)
}

// maxName is the most bytes of a name.
const maxName = 200

// CheckName returns an error unless a name, as of a column or a feature, can also be that of a file: exports make files
// and folders of names, which have to stay in theirs. A / in it makes a folder.
func CheckName(name string) error {
	ok := len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '\\' || !unicode.IsPrint(r) })
	for part := range strings.SplitSeq(name, "/") {
		ok = ok && part != "" && part != "." && part != ".."
	}
	if !ok {
		return fmt.Errorf("the name %.*q is not one of a file below a folder, want at most %d bytes, no \\, no control "+
			"characters, and between / no part of . or .. or nothing", maxName, name, maxName)
	}
	return nil
}

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// Limits that keep a row's size far from overflow. Arrow has none.
const (
	maxListLen  = 1 << 20
	maxRowBytes = 1 << 26
)

// MaxBatchBytes is the most bytes of the rows of a record batch, in their [Layout].
const MaxBatchBytes = 1 << 30

// ValidateTables returns an error for the first thing that is wrong with the tables of a dataset.
func ValidateTables(tables []Table) error {
	if len(tables) == 0 {
		return fmt.Errorf("dataset has 0 tables, want at least 1")
	}
	names := map[string]bool{}
	for i := range tables {
		t := &tables[i]
		if !tableName.MatchString(t.Name) {
			return fmt.Errorf("table name is %q, want lower-case letters, digits, - "+
				"and _, starting with a letter", t.Name)
		}
		if names[t.Name] {
			return fmt.Errorf("two tables are named %q", t.Name)
		}
		names[t.Name] = true
		if t.BatchRows < 0 || t.FlushSegments < 0 {
			return fmt.Errorf("table %q: BatchRows is %d and FlushSegments %d, want 0 or more each", t.Name,
				t.BatchRows, t.FlushSegments)
		}
		if err := t.validateColumns(); err != nil {
			return fmt.Errorf("table %q: %w", t.Name, err)
		}
	}
	return nil
}

func (t *Table) validateColumns() error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("it has 0 columns, want at least 1")
	}
	names, bytes := map[string]bool{}, 0
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Name == "" {
			return fmt.Errorf("column %d has no name", i)
		}
		if err := CheckName(c.Name); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
		for _, p := range c.Parts {
			if err := CheckName(p.Group); err != nil {
				return fmt.Errorf("column %q: a part: %w", c.Name, err)
			}
		}
		if names[c.Name] {
			return fmt.Errorf("two columns are named %q", c.Name)
		}
		names[c.Name] = true
		if err := cmp.Or(c.validate(), t.checkCamera(c)); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
		for _, p := range c.Pictures {
			if err := CheckName(p.Name); err != nil {
				return fmt.Errorf("column %q: a picture: %w", c.Name, err)
			}
			if names[p.Name] || t.Has(p.Name) {
				return fmt.Errorf("column %q: its picture %q has the name of another column", c.Name, p.Name)
			}
			names[p.Name] = true
		}
		if bytes += c.Kind.Size() * max(1, c.Len); bytes > maxRowBytes {
			return fmt.Errorf("a row has more than %d bytes", maxRowBytes)
		}
	}
	return nil
}

// hasParts reports whether the parts have all values.
func (c *Column) hasParts() bool {
	rest := c.Len
	for _, p := range c.Parts {
		if p.Group == "" || p.Len < 1 || p.Len > rest {
			return false
		}
		rest -= p.Len
	}
	return rest == 0 && len(c.Parts) > 0
}

func (c *Column) validate() error {
	switch {
	case !c.Kind.valid():
		return fmt.Errorf("kind is %d, want one of Int64 … Uint16", uint8(c.Kind))
	case c.Len < 0 || c.Len > maxListLen && c.Width == 0 || c.Len > maxRowBytes:
		return fmt.Errorf("its Len is %d, want 0 to %d", c.Len, maxListLen)
	case len(c.Low) != 0 && len(c.Low) != c.Len, len(c.High) != 0 && len(c.High) != c.Len:
		return fmt.Errorf("it has %d low and %d high bounds, want %d, one per value", len(c.Low), len(c.High), c.Len)
	case c.Parts != nil && !c.hasParts():
		return fmt.Errorf("its parts are %v, want some that have its %d values together", c.Parts, c.Len)
	case c.Choices < 0 || c.Choices > 0 && c.Len != 1:
		return fmt.Errorf("it has %d choices of %d values, want choices of one value", c.Choices, c.Len)
	}
	if err := cmp.Or(c.checkPicture(), c.checkSegments(), c.checkPictures()); err != nil || c.Names == nil {
		return err
	}
	if want := len(c.Rest()); len(c.Names) != want {
		return fmt.Errorf("it has %d Names, want %d, one per value that is no pixel", len(c.Names), want)
	}
	return nil
}
