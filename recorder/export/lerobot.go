package export

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Properties of LeRobot v3's files.
const (
	lerobotVersion   = "v3.0"
	lerobotChunk     = 1000 // files of a folder
	lerobotFileMB    = 100  // a file of this size is ended at the end of its episode
	lerobotData      = "data/chunk-%03d/file-%03d.parquet"
	lerobotEpisodes  = "meta/episodes/chunk-%03d/file-%03d.parquet"
	lerobotFileBytes = lerobotFileMB << 20
)

var _ = register("lerobot", "LeRobot v3: frames of one table with observation.state, channels and action; floats become float32", (*job).writeLeRobot)

// writeLeRobot writes the rows of one table as frames. Frame k of an episode has the observation and action of its time, and in
// its columns next.… the outcome until frame k+1 or the episode's end.
func (j *job) writeLeRobot() error {
	t, err := j.frameTable()
	if err != nil {
		return err
	}
	r, err := newLeRobot(j, t)
	if err != nil {
		return err
	}
	if err := j.expect(t); err != nil {
		return err
	}
	if err := j.eachEpisode([]*format.Table{t}, r.write); err != nil {
		return err
	}
	j.result.Episodes = r.episodes
	return r.close()
}

// frameTable returns the selected table, else control, else capture.
func (j *job) frameTable() (*format.Table, error) {
	if len(j.opt.Tables) > 1 {
		return nil, fmt.Errorf("lerobot has the frames of one table, got %q: %w", j.opt.Tables, ErrTable)
	}
	if len(j.opt.Tables) == 1 {
		return j.tables[0], nil
	}
	if t, err := j.table(format.ControlTable); err == nil {
		return t, nil
	}
	t, err := j.table(format.CaptureTable)
	if err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	return t, nil
}

// lerobot writes one episode after another.
type lerobot struct {
	job   *job
	table *format.Table
	rate  runners.Rate

	from, to *format.Layout
	copied   []copied
	names    map[int][]string // of the values of a vector, by column of the frames

	time, reward, rewardSteps int // columns of the table

	// Columns of the frames that the export computes.
	nextReward, nextSteps, nextTerminated, nextTruncated, nextDone int
	timestamp, frame, episode, index, task                         int

	frames   []byte // of the episode
	blank    []byte // a frame
	data     rolling
	meta     rolling
	about    *format.Layout // of the rows of meta
	episodes int64
	total    int64   // frames
	stats    []stats // by column of the frames
	scratch  []float64
}

// copied is a column of the table that is copied to the frames.
type copied struct{ from, to int }

func newLeRobot(j *job, t *format.Table) (*lerobot, error) {
	r := &lerobot{job: j, table: t, from: format.NewLayout(t), names: map[int][]string{}}
	if t.Rate == "" {
		return nil, fmt.Errorf("lerobot: table %q has no rate: %w", t.Name, ErrTable)
	}
	var err error
	if r.rate, err = runners.ParseRate(t.Rate); err != nil {
		return nil, fmt.Errorf("lerobot: table %q: %w", t.Name, err)
	}
	if r.rate.Den() != 1 {
		return nil, fmt.Errorf("lerobot: table %q has %v frames per second, want a whole number", t.Name, r.rate)
	}
	for name, column := range map[string]*int{"t_ns": &r.time, "reward": &r.reward, "reward_steps": &r.rewardSteps} {
		if *column = r.from.Column(name); *column < 0 {
			return nil, fmt.Errorf("lerobot: table %q has no column %q", t.Name, name)
		}
	}
	r.describeFrames()
	r.describeEpisodes()
	r.stats, r.blank = make([]stats, len(r.to.Table.Columns)), r.to.Zeros()
	schema, about := arrowSchema(r.to), arrowSchema(r.about)
	tasks := []text{{name: "tasks", value: j.d.Metadata.Task, list: true}}
	about = arrow.NewSchema(append(about.Fields(), arrow.Field{Name: "tasks", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}), nil)
	r.data = rolling{job: j, pattern: lerobotData, layout: r.to, schema: schema}
	r.meta = rolling{job: j, pattern: lerobotEpisodes, layout: r.about, schema: about, texts: tasks}
	return r, nil
}

// describeFrames sets the columns of the frames. LeRobot treats a vector of one value as a single value, and every column whose
// name begins with observation or action as an input or output of the policy, so stamps are left out.
func (r *lerobot) describeFrames() {
	var columns []format.Column
	add := func(name string, kind format.Kind, n int) int {
		if n == 1 {
			n = 0
		}
		columns = append(columns, format.Column{Name: name, Kind: kind, Len: n})
		return len(columns) - 1
	}
	for i, c := range r.table.Columns {
		to := -1
		switch {
		case c.Name == "t_ns":
			to = add(c.Name, format.Int64, 0)
		case c.Name == "sync" || c.Name == "fault":
			to = add(c.Name, format.Bool, 0)
		case c.Len == 0, c.Name == "pose": // a policy must not see the truth
		case c.Name == "action":
			to = add("action", format.Float32, c.Len)
		case c.Name == "observation":
			to = add("observation.state", format.Float32, c.Len)
		case c.Kind == format.Float64 || c.Kind == format.Float32:
			to = add("observation."+strings.ReplaceAll(c.Name, "/", "."), format.Float32, c.Len)
		}
		if to < 0 {
			continue
		}
		r.copied = append(r.copied, copied{i, to})
		if c.Len > 0 {
			r.names[to] = namesOf(&c)
		}
	}
	reward := "next.reward"
	if r.table.Name != format.ControlTable {
		reward = "next.reward_sum"
	}
	r.nextReward = add(reward, format.Float32, 0)
	r.nextSteps = add("next.reward_steps", format.Int64, 0)
	r.nextTerminated = add("next.terminated", format.Bool, 0)
	r.nextTruncated = add("next.truncated", format.Bool, 0)
	r.nextDone = add("next.done", format.Bool, 0)
	r.timestamp = add("timestamp", format.Float32, 0)
	r.frame = add("frame_index", format.Int64, 0)
	r.episode = add("episode_index", format.Int64, 0)
	r.index = add("index", format.Int64, 0)
	r.task = add("task_index", format.Int64, 0)
	r.to = format.NewLayout(&format.Table{Columns: columns})
}

// namesOf returns the name of each value of a column, which has as many of them as values.
func namesOf(c *format.Column) []string {
	if len(c.Names) == c.Len {
		return c.Names
	}
	names := make([]string, c.Len)
	for i := range names {
		names[i] = fmt.Sprintf("%s_%d", c.Name, i)
	}
	return names
}

// Columns of meta/episodes; the statistics of each feature follow.
const (
	metaEpisode = iota
	metaLength
	metaFrom
	metaTo
	metaDataChunk
	metaDataFile
	metaChunk
	metaFile
	metaNumber
	metaWorld
	metaComplete
	metaTerminated
	metaTruncated
	metaFault
	metaReturn
	metaStats
)

func (r *lerobot) describeEpisodes() {
	columns := []format.Column{
		metaEpisode:    {Name: "episode_index", Kind: format.Int64},
		metaLength:     {Name: "length", Kind: format.Int64},
		metaFrom:       {Name: "dataset_from_index", Kind: format.Int64},
		metaTo:         {Name: "dataset_to_index", Kind: format.Int64},
		metaDataChunk:  {Name: "data/chunk_index", Kind: format.Int64},
		metaDataFile:   {Name: "data/file_index", Kind: format.Int64},
		metaChunk:      {Name: "meta/episodes/chunk_index", Kind: format.Int64},
		metaFile:       {Name: "meta/episodes/file_index", Kind: format.Int64},
		metaNumber:     {Name: "polyrhythm/episode", Kind: format.Int64},
		metaWorld:      {Name: "polyrhythm/world", Kind: format.Int64},
		metaComplete:   {Name: "polyrhythm/complete", Kind: format.Bool},
		metaTerminated: {Name: "polyrhythm/terminated", Kind: format.Bool},
		metaTruncated:  {Name: "polyrhythm/truncated", Kind: format.Bool},
		metaFault:      {Name: "polyrhythm/fault", Kind: format.Bool},
		metaReturn:     {Name: "polyrhythm/return", Kind: format.Float64},
	}
	for i, c := range r.to.Table.Columns {
		empty := stats{}
		for _, s := range empty.named() {
			column := format.Column{Name: "stats/" + c.Name + "/" + s.name, Kind: format.Float64, Len: r.to.Values(i)}
			if s.name == "count" {
				column.Kind, column.Len = format.Int64, 1
			}
			columns = append(columns, column)
		}
	}
	r.about = format.NewLayout(&format.Table{Columns: columns})
}

func (r *lerobot) write(e *episode) error {
	if err := r.data.next(); err != nil {
		return err
	}
	if err := r.meta.next(); err != nil {
		return err
	}
	r.frames = r.frames[:0]
	for {
		rows, err := e.rows(0)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for ; len(rows) > 0; rows = rows[r.from.Stride:] {
			if err := r.add(e, rows[:r.from.Stride]); err != nil {
				return err
			}
		}
	}
	if len(r.frames) == 0 {
		if !e.recorded() {
			return r.job.leaveOut(notRecorded)
		}
		return r.job.leaveOut(noRows)
	}
	if !e.lacksRows() { // else the last row is not the episode's last
		r.end(e)
	}
	if err := r.data.file.write(r.frames); err != nil {
		return err
	}
	return r.describe(e)
}

// lastFrame returns the frame that was added last.
func (r *lerobot) lastFrame() format.Row { return r.to.Row(r.frames[len(r.frames)-r.to.Stride:]) }

// end completes the last frame with its outcome until the episode's end.
func (r *lerobot) end(e *episode) {
	last := r.lastFrame()
	prefix := prefixOf(r.table.Name)
	reward, _ := e.float(prefix + "tail_reward")
	steps, _ := e.int(prefix + "tail_reward_steps")
	last.Float(r.nextReward, reward)
	last.Int(r.nextSteps, steps)
	last.Bool(r.nextTerminated, e.is("terminated"))
	last.Bool(r.nextTruncated, e.is("truncated"))
	last.Bool(r.nextDone, e.complete())
}

// add adds the frame of a row, and completes the one before.
func (r *lerobot) add(e *episode, row []byte) error {
	k := int64(len(r.frames) / r.to.Stride)
	if at := r.from.Int(row, r.time); at != r.rate.Timestamp(k) {
		return fmt.Errorf("lerobot: row %d of episode %d in table %q is at %d ns, want %d: its clock changed while it ran",
			k, e.number, r.table.Name, at, r.rate.Timestamp(k))
	}
	if k > 0 {
		before := r.lastFrame()
		before.Float(r.nextReward, r.from.Float(row, r.reward, 0))
		before.Int(r.nextSteps, r.from.Int(row, r.rewardSteps))
	}
	r.frames = append(r.frames, r.blank...)
	to := r.frames[len(r.frames)-r.to.Stride:]
	for _, c := range r.copied {
		if r.from.IsNull(row, c.from) {
			return fmt.Errorf("lerobot: %s is null at %d ns of episode %d in table %q, and LeRobot has no nulls",
				r.table.Columns[c.from].Name, r.from.Int(row, r.time), e.number, r.table.Name)
		}
		dst := r.to.Bytes(to, c.to)
		if r.to.Table.Columns[c.to].Kind != format.Float32 {
			copy(dst, r.from.Bytes(row, c.from))
			continue
		}
		for i := range r.from.Values(c.from) {
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(r.from.Float(row, c.from, i))))
		}
	}
	frame := r.to.Row(to)
	frame.Float(r.timestamp, float64(k)/float64(r.rate.Num()))
	frame.Int(r.frame, k)
	frame.Int(r.episode, r.episodes)
	frame.Int(r.index, r.total+k)
	return nil
}

// describe writes the episode's row of meta/episodes, and counts it.
func (r *lerobot) describe(e *episode) error {
	length := int64(len(r.frames) / r.to.Stride)
	row := r.about.Zeros()
	about := r.about.Row(row)
	world, _ := e.int("world")
	for column, v := range map[int]int64{
		metaEpisode: r.episodes, metaLength: length, metaFrom: r.total, metaTo: r.total + length,
		metaDataChunk: r.data.chunk(), metaDataFile: r.data.index(), metaChunk: r.meta.chunk(), metaFile: r.meta.index(),
		metaNumber: e.number, metaWorld: world,
	} {
		about.Int(column, v)
	}
	about.Bool(metaComplete, e.complete())
	about.Bool(metaTerminated, e.is("terminated"))
	about.Bool(metaTruncated, e.is("truncated"))
	about.Bool(metaFault, e.is("fault"))
	sum, _ := e.float("return")
	about.Float(metaReturn, sum)
	column := metaStats
	for i := range r.to.Table.Columns {
		var s stats
		s, r.scratch = statsOf(r.to, i, r.frames, r.scratch)
		for _, one := range s.named() {
			if one.name == "count" {
				about.Ints(column, []int64{s.count})
			} else {
				about.Floats(column, one.values)
			}
			column++
		}
		r.stats[i].add(s)
	}
	r.episodes++
	r.total += length
	return r.meta.file.write(row)
}

// close writes the files about the whole dataset.
func (r *lerobot) close() error {
	if r.episodes == 0 {
		return errors.New("lerobot: no episode has a frame, and LeRobot reads no empty dataset")
	}
	if err := errors.Join(r.data.close(), r.meta.close(), r.writeTasks()); err != nil {
		return err
	}
	features, all := map[string]any{}, map[string]any{}
	for i, c := range r.to.Table.Columns {
		f := map[string]any{"dtype": c.Kind.String(), "shape": []int{r.to.Values(i)}, "names": nil}
		if names := r.names[i]; names != nil {
			f["names"] = names
		}
		features[c.Name] = f
		named := map[string]any{}
		for _, s := range r.stats[i].named() {
			named[s.name] = s.values
		}
		named["count"] = []int64{r.stats[i].count}
		all[c.Name] = named
	}
	if err := r.job.writeJSON("meta/stats.json", all); err != nil {
		return err
	}
	return r.job.writeJSON("meta/info.json", map[string]any{
		"codebase_version":       lerobotVersion,
		"robot_type":             r.job.d.Metadata.Task,
		"total_episodes":         r.episodes,
		"total_frames":           r.total,
		"total_tasks":            1,
		"chunks_size":            lerobotChunk,
		"data_files_size_in_mb":  lerobotFileMB,
		"video_files_size_in_mb": 200,
		"fps":                    r.rate.Num(),
		"splits":                 map[string]string{"train": fmt.Sprintf("0:%d", r.episodes)},
		"data_path":              "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
		"video_path":             nil,
		"features":               features,
	})
}

// writeTasks writes the table of tasks, which has one row, as pandas writes a frame with the task as its index.
func (r *lerobot) writeTasks() error {
	const index = "__index_level_0__"
	about, err := json.Marshal(map[string]any{
		"index_columns":  []string{index},
		"column_indexes": []any{},
		"columns": []map[string]any{
			{"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64", "metadata": nil},
			{"name": nil, "field_name": index, "pandas_type": "unicode", "numpy_type": "object", "metadata": nil},
		},
		"pandas_version": "2.0.0",
	})
	if err != nil {
		return err
	}
	l := format.NewLayout(&format.Table{Columns: []format.Column{{Name: "task_index", Kind: format.Int64}}})
	f, err := r.job.openParquet("meta/tasks.parquet", l, nil, []text{{name: index, value: r.job.d.Metadata.Task}},
		map[string]string{"pandas": string(about)})
	if err != nil {
		return err
	}
	return errors.Join(f.write(l.Zeros()), f.close())
}

// rolling writes one Parquet file after another, each of about the size that LeRobot prescribes.
type rolling struct {
	job     *job
	pattern string
	layout  *format.Layout
	schema  *arrow.Schema
	texts   []text

	file  *parquetFile
	files int64
}

// next begins another file if the current one is full.
func (r *rolling) next() (err error) {
	if r.file != nil {
		if r.file.size() < lerobotFileBytes {
			return nil
		}
		if err := r.file.close(); err != nil {
			return err
		}
	}
	r.file, err = r.job.openParquet(fmt.Sprintf(r.pattern, r.files/lerobotChunk, r.files%lerobotChunk), r.layout, r.schema, r.texts, nil)
	r.files++
	return err
}

// chunk and index identify the current file.
func (r *rolling) chunk() int64 { return (r.files - 1) / lerobotChunk }
func (r *rolling) index() int64 { return (r.files - 1) % lerobotChunk }

func (r *rolling) close() error { return r.file.close() }
