package recorder

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/recorder/internal/folder"
)

// journalMagic begins the journals of all versions.
const journalMagic = "polyrhythm-journal "

// streamMagic begins every message of a stream, and so the stream.
const streamMagic = "\xff\xff\xff\xff"

// tableFiles are the files in the folder of a table, beside streams.
var tableFiles = map[string]disk.Judge{
	folder.JournalFile: disk.BeginsWith(journalMagic),
	folder.InfoFile:    disk.HasKeys("description"),
	folder.StateFile:   disk.HasKeys("_data_files"),
}

// datasetFiles are those in the folder of a dataset, beside those of its first table.
var datasetFiles = map[string]disk.Judge{
	format.DocumentFile: disk.HasKeys("format_version", "tables"),
	format.RecoveryFile: disk.HasKeys("recovered", "tables"),
	LabelsFile:          disk.HasKeys("labels"),
}

// Owns reports whether an entry of the folder of a dataset, finished or not, is one that writers, recoveries, labels or
// added pictures leave there, by its name from that folder and its contents. Of an entry in a folder of these, it is asked
// after that. An error of one that is says that it is damaged, else why it cannot be read.
func Owns(dataset, name string, entry fs.DirEntry) (bool, error) {
	path := filepath.Join(dataset, name)
	first, rest, below := strings.Cut(filepath.ToSlash(name), "/")
	switch base, part := strings.CutSuffix(name, disk.Part); {
	case below && isCamera(first):
		return Owns(filepath.Join(dataset, first), rest, entry)
	case below:
		return ownsTable(path, entry)
	case entry.IsDir():
		return isCamera(name) || isTable(path), nil
	case datasetFiles[base] != nil && part:
		return disk.BeginsWith("{")(path, entry)
	case datasetFiles[base] != nil:
		return datasetFiles[base](path, entry)
	default:
		return ownsTable(path, entry)
	}
}

// ownsTable is Owns of the files in the folder of a table.
func ownsTable(path string, entry fs.DirEntry) (bool, error) {
	base, part := strings.CutSuffix(entry.Name(), disk.Part)
	judge := tableFiles[base]
	switch _, stream := folder.ParseName(entry.Name()); {
	case stream:
		return disk.BeginsWith(streamMagic)(path, entry)
	case judge == nil:
		return false, nil
	case part:
		return disk.BeginsWith("{")(path, entry)
	default:
		return judge(path, entry)
	}
}

// isCamera reports whether a folder has the name of one of pictures, or of one that is being written or replaced.
func isCamera(name string) bool {
	const prefix = "camera-"
	hidden, begun := strings.CutPrefix(name, "."+prefix)
	return strings.HasPrefix(name, prefix) || begun && slices.ContainsFunc([]string{".partial", ".new", ".old"},
		func(end string) bool { return strings.HasSuffix(hidden, end) })
}

// tableNames are those of all tables.
var tableNames = []string{format.CaptureTable, format.ControlTable, format.SensorsTable, format.EpisodesTable}

// isTable reports whether the folder at a path, in that of a dataset, is one of its tables: the dataset says so or, where
// that is damaged, the journal. One that is still empty has the name of a table.
func isTable(path string) bool {
	var document struct {
		Tables []struct {
			Name string `json:"name"`
		} `json:"tables"`
	}
	if text, err := disk.ReadFile(filepath.Join(filepath.Dir(path), format.DocumentFile), disk.MaxText); err == nil &&
		json.Unmarshal(text, &document) == nil {
		for _, t := range document.Tables {
			if t.Name == filepath.Base(path) {
				return true
			}
		}
	}
	journal := filepath.Join(path, folder.JournalFile)
	info, err := os.Lstat(journal)
	if err != nil {
		left, err := os.ReadDir(path)
		return err == nil && len(left) == 0 && slices.Contains(tableNames, filepath.Base(path))
	}
	ours, _ := disk.BeginsWith(journalMagic)(journal, fs.FileInfoToDirEntry(info)) // a damaged one, too
	return ours
}
