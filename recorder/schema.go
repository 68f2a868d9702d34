package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
)

// Kind is the type of one value of a column.
type Kind uint8

// The kinds a column can have. The zero Kind is none of them.
const (
	Int64 Kind = iota + 1
	Int32
	Float64
	Float32
	Bool
)

// kindNames are the names used in polyrhythm.json and in messages, by Kind.
var kindNames = [...]string{Int64: "int64", Int32: "int32", Float64: "float64", Float32: "float32", Bool: "bool"}

// String returns the kind's name as it stands in polyrhythm.json.
func (k Kind) String() string {
	if !k.valid() {
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) {
	if !k.valid() {
		return nil, fmt.Errorf("recorder: column kind %d, want one of Int64 … Bool", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for i := Int64; i <= Bool; i++ {
		if kindNames[i] == string(text) {
			*k = i
			return nil
		}
	}
	return fmt.Errorf("recorder: column kind %q, want one of %q", text, kindNames[Int64:])
}

func (k Kind) valid() bool { return k >= Int64 && k <= Bool }

// Size returns the bytes that one value takes in memory; a bool takes one.
func (k Kind) Size() int {
	switch k {
	case Int64, Float64:
		return 8
	case Int32, Float32:
		return 4
	default:
		return 1
	}
}

// ArrowType returns the Arrow type of one value.
func (k Kind) ArrowType() arrow.DataType {
	switch k {
	case Int64:
		return arrow.PrimitiveTypes.Int64
	case Int32:
		return arrow.PrimitiveTypes.Int32
	case Float64:
		return arrow.PrimitiveTypes.Float64
	case Float32:
		return arrow.PrimitiveTypes.Float32
	default:
		return arrow.FixedWidthTypes.Boolean
	}
}

// Column describes one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Len is 0 for one value a row, else the number of values in each row's list.
	Len int `json:"len,omitempty"`
	// Nullable says whether a row may leave the column unset. The Arrow field is declared nullable either way, because
	// Hugging Face datasets drops the metadata of a table that has a field which is not.
	Nullable bool `json:"nullable,omitempty"`

	// What the values are; each one that is not empty becomes a key of the Arrow field's metadata.
	Unit        string `json:"unit,omitempty"`        // for instance "rad/s"
	Source      string `json:"source,omitempty"`      // where the value comes from
	Rate        string `json:"rate,omitempty"`        // how often it changes, where that is not the table's rate
	Frame       string `json:"frame,omitempty"`       // frame of reference of a vector
	Stage       string `json:"stage,omitempty"`       // of a channel: "motion", or "force", which is known later; see sensors.Stage
	Model       string `json:"model,omitempty"`       // what a sensor adds to the truth: noise, latency and so on
	Description string `json:"description,omitempty"` // one sentence

	// Names are those of the Len values of a list, in order; nil where they have none. In the Arrow field's metadata they are
	// one text, parted by commas.
	Names []string `json:"names,omitempty"`

	// Of actions and observations: the bounds of each of the Len values. They stand in polyrhythm.json alone.
	Low     []Bound `json:"low,omitempty"` // nil: none
	High    []Bound `json:"high,omitempty"`
	Choices int     `json:"choices,omitempty"` // the one value is one of 0 … Choices−1; 0: it is continuous
}

func (c *Column) arrowField() arrow.Field {
	typ := c.Kind.ArrowType()
	if c.Len > 0 {
		typ = arrow.FixedSizeListOf(int32(c.Len), typ) // declares its child nullable
	}
	var keys, values []string
	for _, kv := range [...][2]string{
		{"unit", c.Unit}, {"source", c.Source}, {"rate", c.Rate}, {"frame", c.Frame}, {"stage", c.Stage},
		{"model", c.Model}, {"names", strings.Join(c.Names, ",")}, {"description", c.Description},
	} {
		if kv[1] != "" {
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
	}
	return arrow.Field{Name: c.Name, Type: typ, Nullable: true, Metadata: arrow.NewMetadata(keys, values)}
}

// Table describes one table: a name, which is also its sub-folder's, and its columns.
type Table struct {
	Name        string `json:"name"` // lower-case letters, digits, - and _, starting with a letter
	Rate        string `json:"rate,omitempty"`
	Description string `json:"description,omitempty"`
	// BatchRows is the number of rows in each record batch but the last; 0 means that of [Options]. A row is safe from a
	// killed run once its batch is full, so a table that fills slowly wants small batches.
	BatchRows int `json:"batch_rows,omitempty"`
	// FlushSegments is the number of segments after which a batch that is not full is written; 0 means that of [Options].
	FlushSegments int      `json:"flush_segments,omitempty"`
	Columns       []Column `json:"columns"`
}

// Runner names a clock of the run and its rate as text, for instance "Capture" and "30".
type Runner struct {
	Name string `json:"name"`
	Rate string `json:"rate"`
}

// Metadata says what run the dataset came from. It must hold nothing that differs between two runs of the same
// configuration and seed: no workers, host, paths or wall time.
type Metadata struct {
	Task          string            `json:"task"`
	Seed          uint64            `json:"seed"`
	Configuration string            `json:"configuration"` // the whole text
	Beat          string            `json:"beat"`          // rate at which all runners meet
	Runners       []Runner          `json:"runners"`
	Versions      map[string]string `json:"versions"` // of this program, the engine, the formats
}

// formatVersion counts incompatible changes of the layout on disk.
const formatVersion = 2

// document is polyrhythm.json. Its exact bytes also stand in the schema of every stream, under the checksum of the
// journal, so that a changed polyrhythm.json is noticed.
type document struct {
	FormatVersion int      `json:"format_version"`
	Metadata      Metadata `json:"metadata"`
	Tables        []Table  `json:"tables"`
}

func (d *document) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("recorder: metadata: %w", err)
	}
	return buf.Bytes(), nil
}

// Keys of the Arrow schema's metadata.
const (
	schemaKeyDocument = "polyrhythm"       // the bytes of polyrhythm.json
	schemaKeyTable    = "polyrhythm_table" // the table's name
)

func (t *Table) arrowSchema(document []byte) *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i := range t.Columns {
		fields[i] = t.Columns[i].arrowField()
	}
	meta := arrow.NewMetadata([]string{schemaKeyTable, schemaKeyDocument}, []string{t.Name, string(document)})
	return arrow.NewSchema(fields, &meta)
}

// Schema returns the Arrow schema of a table's batches. Its metadata holds [Dataset.Document].
func (d *Dataset) Schema(table string) (*arrow.Schema, error) {
	i, err := d.table(table)
	if err != nil {
		return nil, err
	}
	return d.Tables[i].arrowSchema(d.document), nil
}

// Document returns the bytes of polyrhythm.json, which describe the dataset. They must not be changed.
func (d *Dataset) Document() []byte { return d.document }

var tableName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// Limits that keep a row's size far from overflow; they are none of Arrow's.
const (
	maxListLen  = 1 << 20
	maxRowBytes = 1 << 26
)

func validateTables(tables []Table) error {
	if len(tables) == 0 {
		return fmt.Errorf("recorder: 0 tables, want at least 1")
	}
	seen := map[string]bool{}
	for i := range tables {
		t := &tables[i]
		if !tableName.MatchString(t.Name) {
			return fmt.Errorf("recorder: table name %q, want lower-case letters, digits, - and _, starting with a letter", t.Name)
		}
		if seen[t.Name] {
			return fmt.Errorf("recorder: two tables named %q", t.Name)
		}
		seen[t.Name] = true
		if t.BatchRows < 0 || t.FlushSegments < 0 {
			return fmt.Errorf("recorder: table %q: BatchRows %d, FlushSegments %d, want 0 or more each", t.Name, t.BatchRows, t.FlushSegments)
		}
		if err := validateColumns(t); err != nil {
			return err
		}
	}
	return nil
}

func validateColumns(t *Table) error {
	if len(t.Columns) == 0 {
		return fmt.Errorf("recorder: table %q has 0 columns, want at least 1", t.Name)
	}
	seen, bytes := map[string]bool{}, 0
	for _, c := range t.Columns {
		bytes += c.Kind.Size() * max(1, c.Len)
		switch {
		case c.Name == "":
			return fmt.Errorf("recorder: table %q has a column without a name", t.Name)
		case seen[c.Name]:
			return fmt.Errorf("recorder: table %q has two columns named %q", t.Name, c.Name)
		case !c.Kind.valid():
			return fmt.Errorf("recorder: table %q column %q: kind %d, want one of Int64 … Bool", t.Name, c.Name, uint8(c.Kind))
		case c.Len < 0 || c.Len > maxListLen:
			return fmt.Errorf("recorder: table %q column %q: Len %d, want 0 to %d", t.Name, c.Name, c.Len, maxListLen)
		case c.Names != nil && len(c.Names) != c.Len:
			return fmt.Errorf("recorder: table %q column %q: %d Names for a list of %d", t.Name, c.Name, len(c.Names), c.Len)
		case len(c.Low) != 0 && len(c.Low) != c.Len, len(c.High) != 0 && len(c.High) != c.Len:
			return fmt.Errorf("recorder: table %q column %q: %d and %d bounds for a list of %d", t.Name, c.Name, len(c.Low), len(c.High), c.Len)
		case c.Choices < 0 || c.Choices > 0 && c.Len != 1:
			return fmt.Errorf("recorder: table %q column %q: %d choices for a list of %d, want choices of one value", t.Name, c.Name, c.Choices, c.Len)
		case bytes > maxRowBytes:
			return fmt.Errorf("recorder: table %q has rows of more than %d bytes", t.Name, maxRowBytes)
		}
		seen[c.Name] = true
	}
	return nil
}
