package exam

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// chunk is some episodes of a cell by one policy. The journal has one on each line, in the order in which they were run.
type chunk struct {
	Cell      int       `json:"cell"`
	Reference bool      `json:"reference,omitempty"` // they are those of the reference policy
	First     int       `json:"first"`
	Infos     []string  `json:"infos,omitempty"` // of the first chunk: names of the infos of episodes
	Episodes  []Episode `json:"episodes"`
}

// journal has what was run so far. Its file only grows; a line that a kill has cut is cut off before it goes on.
type journal struct {
	file  *os.File
	infos []string
	done  map[part][]Episode
}

// part is a cell as one policy sees it.
type part struct {
	cell      int
	reference bool
}

// maxLine bounds a line of a journal: the episodes of one look.
const maxLine = 1 << 30

// openJournal opens the journal of an exam, and makes it if there is none. The caller closes its file.
func openJournal(folder string) (_ *journal, err error) {
	j := &journal{done: map[part][]Episode{}}
	path := filepath.Join(folder, rundir.ExamJournal)
	f, err := disk.Append(path) // makes it
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		j.file, err = disk.Change(path)
	}
	if err != nil {
		return nil, err
	}
	end, err := j.read(j.file)
	if err == nil {
		err = j.file.Truncate(end)
	}
	if err == nil {
		_, err = j.file.Seek(end, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), j.file.Close())
	}
	return j, nil
}

// readJournal reads the journal of an exam, which may be running.
func readJournal(folder string) (*journal, error) {
	path := filepath.Join(folder, rundir.ExamJournal)
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j := &journal{done: map[part][]Episode{}}
	if _, err := j.read(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// read reads the lines that are whole, and returns where they end.
func (j *journal) read(r io.Reader) (end int64, err error) {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err == io.EOF { // no line feed, so the line was cut
			return end, nil
		}
		var c chunk
		if err == nil {
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.DisallowUnknownFields()
			err = decoder.Decode(&c)
		}
		if err == nil {
			err = j.add(c)
		}
		if err != nil {
			return 0, fmt.Errorf("line %d %w: %w", n, disk.ErrDamaged, err)
		}
		end += int64(len(line))
	}
}

// readLine reads a line with its line feed. It fails with io.EOF where that is missing.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxLine:
			return nil, fmt.Errorf("it has more than %d bytes", maxLine)
		case err == bufio.ErrBufferFull:
			continue
		}
		return line, err
	}
}

// add takes a chunk, which must go on where the last one of its cell and policy ended.
func (j *journal) add(c chunk) error {
	at := part{c.Cell, c.Reference}
	if c.Cell < 0 || c.Cell >= MaxCells || c.First != len(j.done[at]) || len(c.Episodes) == 0 ||
		c.First+len(c.Episodes) > MaxEpisodes {
		return fmt.Errorf("%d episodes of cell %d from number %d on, want some from %d on", len(c.Episodes), c.Cell, c.First,
			len(j.done[at]))
	}
	if j.infos == nil {
		j.infos = c.Infos
	}
	for _, e := range c.Episodes {
		if len(e.Infos) != len(j.infos) {
			return fmt.Errorf("an episode has %d infos, want the %d of the first line", len(e.Infos), len(j.infos))
		}
	}
	j.done[at] = append(j.done[at], c.Episodes...)
	return nil
}

// write adds a chunk, and has it on disk when it returns.
func (j *journal) write(c chunk) error {
	if len(j.done) > 0 {
		c.Infos = nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := j.add(c); err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}
