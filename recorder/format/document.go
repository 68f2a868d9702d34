package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// DocumentFile describes a dataset. A folder without it is none.
const DocumentFile = "polyrhythm.json"

// Version counts incompatible changes of the layout on disk. Since 2 they are about lists with pictures: datasets without
// them have that version. In 3 pixels had names, and no picture had floats.
const (
	Version      = 4
	namedVersion = 3
	plainVersion = 2
)

// VersionOf returns the version of a dataset with these tables.
func VersionOf(tables []Table) int {
	for i := range tables {
		if tables[i].hasPictures() {
			return Version
		}
	}
	return plainVersion
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
	Label         string            `json:"label,omitempty"` // words for what the robot is to do
	Seed          uint64            `json:"seed"`
	Configuration string            `json:"configuration"` // the whole text of the configuration
	Beat          string            `json:"beat"`          // rate at which all runners meet
	Runners       []Runner          `json:"runners"`
	Versions      map[string]string `json:"versions"` // of this program, the engine, the formats
}

// Document is polyrhythm.json. Its exact bytes are also in the schema of every stream, under the checksum of the
// journal, so that a changed polyrhythm.json is noticed.
type Document struct {
	FormatVersion int      `json:"format_version"`
	Metadata      Metadata `json:"metadata"`
	Tables        []Table  `json:"tables"`
}

// Encode returns the text of polyrhythm.json.
func (d *Document) Encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return buf.Bytes(), nil
}

// ParseDocument reads the text of polyrhythm.json strictly.
func ParseDocument(text []byte) (*Document, error) {
	var version struct {
		Number *int `json:"format_version"`
	}
	if json.Unmarshal(text, &version) == nil && version.Number != nil && *version.Number > Version {
		return nil, fmt.Errorf("format version is %d, want at most %d: a newer program wrote it", *version.Number, Version)
	}
	doc := &Document{}
	if err := parseStrictly(text, doc); err != nil {
		return nil, err
	}
	want := VersionOf(doc.Tables)
	if want == Version && doc.FormatVersion == namedVersion {
		return doc, doc.takeNamed()
	}
	if doc.FormatVersion != want {
		return nil, fmt.Errorf("format version is %d, want %d", doc.FormatVersion, want)
	}
	return doc, ValidateTables(doc.Tables)
}

// takeNamed makes the tables of a document of namedVersion what they are in Version.
func (d *Document) takeNamed() error {
	for i := range d.Tables {
		t := &d.Tables[i]
		for k := range t.Columns {
			c := &t.Columns[k]
			if slices.ContainsFunc(c.Pictures, func(p ListPicture) bool { return p.Floats }) {
				return fmt.Errorf("table %q: column %q: format version is %d, want %d for pictures of floats", t.Name, c.Name,
					d.FormatVersion, Version)
			}
			names := c.Names
			c.Names = nil
			if err := c.validate(); err != nil {
				return fmt.Errorf("table %q: column %q: %w", t.Name, c.Name, err)
			}
			if names != nil && len(names) != c.Len {
				return fmt.Errorf("table %q: column %q: it has %d Names, want %d, one per value", t.Name, c.Name, len(names), c.Len)
			}
			c.SetNames(names)
		}
	}
	return ValidateTables(d.Tables)
}

// parseStrictly reads JSON without unknown fields, and nothing after it.
func parseStrictly(text []byte, target any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(target)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it is cut after %d bytes", len(text))
	}
	if err != nil {
		return err
	}
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("it has %d bytes after the end, want none", len(rest))
	}
	return nil
}

// ReadDocument reads the polyrhythm.json of a dataset's folder, and returns its text as well.
func ReadDocument(dir string) (*Document, []byte, error) {
	path := filepath.Join(dir, DocumentFile)
	text, err := disk.ReadFile(path, disk.MaxText)
	if err != nil {
		return nil, nil, fmt.Errorf("not a dataset: %w", err)
	}
	doc, err := ParseDocument(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return doc, text, nil
}

// Castagnoli is the polynomial of all checksums in a dataset.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// JSON returns the text of a JSON file: indented, with a line break at its end.
func JSON(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
