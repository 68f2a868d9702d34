package export

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// kinds are the kinds of the files in exports, by the ends of their names, with what their contents begin with.
var kinds = map[string]disk.Judge{
	".arrow":   disk.BeginsWith("\xff\xff\xff\xff", "ARROW1"),                                       // streams and files
	".csv":     disk.BeginsWith("t_ns,episode,", "episode,world,", "frame,t_ns,", "frame,episode,"), // names of columns
	".json":    disk.BeginsWith("{"),
	".mcap":    disk.BeginsWith("\x89MCAP0\r\n"),
	".md":      disk.BeginsWith("---"),
	".mp4":     disk.Contains("ftyp", 12), // of ffmpeg
	".parquet": disk.BeginsWith("PAR1"),
	".png":     disk.BeginsWith(disk.PNG),
}

// owns is the [disk.Owner] of the folder of an export that is not finished. Folders are named after tables, columns and
// episodes, and have no text of a table.
func owns(folder, name string, entry fs.DirEntry) (bool, error) {
	ext := filepath.Ext(strings.TrimSuffix(name, disk.Part)) // of a file that is being written, too
	kind, below := kinds[ext], strings.Contains(name, string(filepath.Separator))
	switch {
	case entry.IsDir():
		return true, nil
	case filepath.Dir(name) == sortFolder:
		return disk.Any(name, entry)
	case kind == nil || below && ext == ".csv":
		return false, nil
	}
	return kind(filepath.Join(folder, name), entry)
}
