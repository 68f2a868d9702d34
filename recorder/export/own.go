package export

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// kinds are the kinds of the files in exports, by the ends of their names, with what their contents begin with.
var kinds = map[string]disk.Judge{
	".arrow":   ownsArrow,
	".csv":     disk.Any, // text, whose names are those of the dataset's tables
	".json":    disk.BeginsWith("{"),
	".mcap":    disk.BeginsWith("\x89MCAP0\r\n"),
	".md":      disk.BeginsWith("---"),
	".mp4":     disk.Any, // of ffmpeg
	".parquet": disk.BeginsWith("PAR1"),
	".part":    disk.Any, // of any of these, while it is written
	".png":     disk.BeginsWith(disk.PNG),
}

// owns is the [disk.Owner] of the folder of an export that is not finished. Folders are named after tables, columns and
// episodes, and have no text of a table.
func owns(folder, name string, entry fs.DirEntry) (bool, error) {
	kind, below := kinds[filepath.Ext(name)], strings.Contains(name, string(filepath.Separator))
	switch {
	case entry.IsDir():
		return true, nil
	case filepath.Dir(name) == sortFolder:
		return disk.Any(name, entry)
	case kind == nil || below && filepath.Ext(name) == ".csv":
		return false, nil
	}
	return kind(filepath.Join(folder, name), entry)
}

// ownsArrow knows streams and files of Arrow.
func ownsArrow(path string, entry fs.DirEntry) (bool, error) {
	ours, err := disk.BeginsWith("\xff\xff\xff\xff")(path, entry)
	if err == nil && !ours {
		return disk.BeginsWith("ARROW1")(path, entry)
	}
	return ours, err
}
