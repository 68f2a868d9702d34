package export

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/polyrhythm-rl/polyrhythm/recorder"
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
	lerobotVideos    = "videos/%s/chunk-%03d/file-%03d.mp4"
	lerobotVideoMB   = 200 // likewise
	lerobotFileBytes = lerobotFileMB << 20
)

// writeLeRobot writes the rows of one table as frames. Frame k of an episode has the observation and action of its
// time, and in its columns next.… the outcome until frame k+1 or the episode's end.
func (j *job) writeLeRobot() error {
	t, err := j.frameTable()
	if err != nil {
		return fmt.Errorf("lerobot: %w", err)
	}
	r := &lerobot{}
	if r.rate, err = frameRate(t); err != nil {
		return fmt.Errorf("lerobot: table %q %w", t.Name, err)
	}
	j.notePictures(t)
	if r.frames, err = j.newFrames(t, nil); err != nil {
		return fmt.Errorf("lerobot: %w", err)
	}
	if err := r.describeFrames(); err != nil {
		return fmt.Errorf("lerobot: %w", err)
	}
	defer r.discardVideos()
	r.describeEpisodes()
	r.sums = make([]stats, len(r.to.Columns)+len(r.videos))
	r.shades = make([][]shades, len(r.sums))
	r.all = newPopulation(j.fsys, filepath.Join(j.tmp, "values"), r.to, j.opt.Memory/4)
	defer r.all.close() // unless it is closed
	tasks := []text{{name: "tasks", list: true}}
	r.taskIndex = map[string]int64{}
	about := arrow.NewSchema(append(arrowSchema(r.about).Fields(),
		arrow.Field{Name: "tasks", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}), nil)
	r.data = rolling{job: j, pattern: lerobotData, layout: r.to, schema: encodeSchema(arrowSchema(r.to))}
	r.meta = rolling{job: j, pattern: lerobotEpisodes, layout: r.about, schema: encodeSchema(about), texts: tasks}
	return r.export([]*format.Table{r.from.Table}, r.write, r.close)
}

// frameTable returns the selected table, else control, unless only capture has pictures, else capture.
func (j *job) frameTable() (*format.Table, error) {
	control, err := j.table(format.ControlTable)
	capture, noCapture := j.table(format.CaptureTable)
	switch {
	case len(j.opt.Tables) > 1:
		return nil, fmt.Errorf("it has the frames of one table, got %q: %w", j.opt.Tables, ErrTable)
	case len(j.opt.Tables) == 1:
		return j.tables[0], nil
	case err != nil:
		return capture, noCapture
	case noCapture == nil && pictured(capture) && !pictured(control):
		if _, err := frameRate(capture); err == nil {
			return capture, nil
		}
	}
	return control, nil
}

// frameRate returns the frames per second of a table, a whole number. The error goes on from its name.
func frameRate(t *format.Table) (runners.Rate, error) {
	if t.Rate == "" {
		return runners.Rate{}, fmt.Errorf("has no rate: %w", ErrTable)
	}
	rate, err := runners.ParseRate(t.Rate)
	if err == nil && rate.Den() != 1 {
		err = fmt.Errorf("has %v frames per second, want a whole number", rate)
	}
	return rate, err
}

// pictured reports whether a table has pictures.
func pictured(t *format.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c format.Column) bool { return c.Width > 0 })
}

// notePictures notes the tables whose pictures the frames of another have not.
func (j *job) notePictures(of *format.Table) {
	if pictured(of) {
		return
	}
	for i := range j.d.Tables {
		if t := &j.d.Tables[i]; pictured(t) {
			j.result.Pictures = append(j.result.Pictures, t.Name)
		}
	}
}

type lerobot struct {
	frames
	rate     runners.Rate
	copied   []source // by column of the frames
	computed int      // the first of the other columns
	videos   []*video

	data, meta rolling
	about      *format.Layout // of the rows of meta
	sums       []stats        // by column of the frames, then by video
	shades     [][]shades     // likewise, of pictures
	all        *population
	scratch    []float64

	tasks     []string // in the order of their first frames
	taskIndex map[string]int64
	mine      []string // of the episode
}

// Columns of the frames that the export computes, in this order.
const (
	nextReward = iota
	nextSteps
	nextTerminated
	nextTruncated
	nextDone
	timestamp
	frameIndex
	episodeIndex
	index
	taskIndex
	nextSuccess
)

var computedColumns = slices.Concat(
	columnsOf(format.Float32, "next.reward"), columnsOf(format.Int64, "next.reward_steps"),
	columnsOf(format.Bool, "next.terminated", "next.truncated", "next.done"), columnsOf(format.Float32, "timestamp"),
	columnsOf(format.Int64, "frame_index", "episode_index", "index", "task_index"), columnsOf(format.Bool, "next.success"))

// metaColumns are those of meta/episodes; the statistics of each feature follow.
var metaColumns = slices.Concat(
	columnsOf(format.Int64, "episode_index", "length", "dataset_from_index", "dataset_to_index", "data/chunk_index",
		"data/file_index", "meta/episodes/chunk_index", "meta/episodes/file_index", "polyrhythm/episode",
		"polyrhythm/world"),
	columnsOf(format.Bool, "polyrhythm/complete", "polyrhythm/terminated", "polyrhythm/truncated", "polyrhythm/fault"),
	columnsOf(format.Float64, "polyrhythm/return"))

// observed adds the columns of an observation: what a policy sees but pictures, which have columns of their own, and
// what only others see.
func (r *lerobot) observed(i int, add func(source, format.Column)) {
	for _, of := range observers(r.from, i, false) {
		name := format.Privileged + of.group
		if of.group == format.PolicyGroup {
			name = "observation.state"
		}
		if n := of.count(r.from); n > 0 {
			add(of.source, format.Column{Name: name, Kind: format.Float32, Len: n})
		}
	}
}

// describeFrames sets the columns of the frames. LeRobot treats a vector of one value as a single value, and every
// column whose name begins with observation or action as an input or output of the policy, so stamps are left out.
func (r *lerobot) describeFrames() error {
	var columns []format.Column
	add := func(from source, to format.Column) {
		if to.Len == 1 && to.Width == 0 {
			to.Len = 0
		}
		r.copied, columns = append(r.copied, from), append(columns, to)
	}
	for i, c := range r.from.Columns {
		to := format.Column{Name: c.Name, Kind: format.Float32, Len: c.Len}
		switch {
		case c.Name == "t_ns":
			to.Kind, to.Len = format.Int64, 0
		case c.Name == "sync" || c.Name == "fault":
			to.Kind, to.Len = format.Bool, 0
		case c.Width > 0:
			to.Name, to.Kind, to.Width = "observation.images."+strings.ReplaceAll(c.Name, "/", "."), c.Kind, c.Width
			if r.job.opt.Video && c.Kind == format.Uint8 && to.Channels() == 3 {
				if err := r.addVideo(i, to); err != nil {
					return err
				}
				continue
			}
		case c.Len == 0, c.Name == format.PoseColumn, c.Name == format.LookColumn: // a policy must not see the truth
			continue
		case c.Name == "action":
		case c.Name == "observation":
			r.observed(i, add)
			continue
		case c.Kind == format.Float64 || c.Kind == format.Float32:
			to.Name = "observation." + strings.ReplaceAll(c.Name, "/", ".")
		default:
			continue
		}
		add(source{column: i}, to)
	}
	if r.job.opt.Video && len(r.videos) == 0 {
		return fmt.Errorf("table %q has no colour pictures to make videos of: %w with them, or add some by "+
			"train render --into", r.from.Name, ErrTable)
	}
	r.computed = len(columns)
	columns = append(columns, computedColumns...)
	if !r.job.knowsSuccess() {
		columns = columns[:len(columns)-1]
	}
	if r.from.Name != format.ControlTable {
		columns[r.computed+nextReward].Name = "next.reward_sum"
	}
	r.become(columns)
	return nil
}

// knowsSuccess reports whether the run or a label says of any episode whether it succeeded.
func (j *job) knowsSuccess() bool {
	i := j.d.Table(format.EpisodesTable)
	return i >= 0 && j.d.Tables[i].Has("success") ||
		slices.ContainsFunc(j.labels.List, func(l recorder.Label) bool { return l.Success != nil })
}

// namesOf returns the name of each value of a source.
func (r *lerobot) namesOf(s *source) []string {
	c := &r.from.Columns[s.column]
	names := make([]string, s.count(r.from))
	for i := range names {
		if len(c.Names) == c.Len {
			names[i] = c.Names[s.at(i)]
		} else {
			names[i] = fmt.Sprintf("%s_%d", c.Name, s.at(i))
		}
	}
	return names
}

func (r *lerobot) describeEpisodes() {
	columns := slices.Clone(metaColumns)
	for _, v := range r.videos {
		at := "videos/" + v.name() + "/"
		columns = append(append(columns, columnsOf(format.Int64, at+"chunk_index", at+"file_index")...),
			columnsOf(format.Float64, at+"from_timestamp", at+"to_timestamp")...)
	}
	for l, i := range r.features() {
		c := &l.Columns[i]
		for k, name := range statNames {
			column := format.Column{Name: "stats/" + c.Name + "/" + name, Kind: format.Float64, Len: l.Values(i)}
			if c.Width > 0 {
				column.Len = c.Channels()
			}
			if k == statCount {
				column.Kind, column.Len = format.Int64, 1
			}
			columns = append(columns, column)
		}
	}
	r.about = format.NewLayout(&format.Table{Columns: columns})
}

// features yields the columns of the frames, then those of the videos, each with its layout.
func (r *lerobot) features() iter.Seq2[*format.Layout, int] {
	return func(yield func(*format.Layout, int) bool) {
		for i := range r.to.Columns {
			if !yield(r.to, i) {
				return
			}
		}
		for _, v := range r.videos {
			if !yield(v.layout, 0) {
				return
			}
		}
	}
}

func (r *lerobot) write(e *episode) error {
	if err := cmp.Or(r.data.next(), r.meta.next()); err != nil {
		return err
	}
	for _, v := range r.videos {
		v.pictures = v.pictures[:0]
	}
	if empty, err := r.read(e, r.add); err != nil || empty {
		return err
	}
	if !e.lacksRows() { // else the last row is not the episode's last
		steps, _ := e.int(r.prefix + "tail_reward_steps")
		last := r.last()
		last.Float(r.computed+nextReward, e.float(r.prefix+"tail_reward"))
		last.Int(r.computed+nextSteps, steps)
		last.Bool(r.computed+nextTerminated, e.is("terminated"))
		last.Bool(r.computed+nextTruncated, e.is("truncated"))
		last.Bool(r.computed+nextDone, e.complete())
		if success := e.success(); success != nil {
			last.Bool(r.computed+nextSuccess, *success)
		}
	}
	if err := r.data.file.write(r.rows); err != nil {
		return err
	}
	for _, v := range r.videos {
		if err := v.write(r.job, r.rate); err != nil {
			return err
		}
	}
	return r.describe(e)
}

// add adds the frame of a row, and completes the one before.
func (r *lerobot) add(e *episode, row []byte) error {
	k, at := r.length(), r.from.Int(row, r.time)
	if want := r.rate.Timestamp(k); at != want {
		return fmt.Errorf("lerobot: row %d of episode %d in table %q is at %d ns, want %d: its clock changed while it ran",
			k, e.number, r.from.Name, at, want)
	}
	if k > 0 {
		r.last().Float(r.computed+nextReward, r.from.Float(row, r.reward, 0))
		r.last().Int(r.computed+nextSteps, r.from.Int(row, r.rewardSteps))
	}
	to := r.grow()
	null := func(from int) error {
		if !r.from.IsNull(row, from) {
			return nil
		}
		return fmt.Errorf("lerobot: %s is null at %d ns of episode %d in table %q, and LeRobot has no nulls",
			r.from.Columns[from].Name, at, e.number, r.from.Name)
	}
	for _, v := range r.videos {
		if err := null(v.from); err != nil {
			return err
		}
		v.add(r.from.Bytes(row, v.from))
	}
	for column := range r.copied {
		from := &r.copied[column]
		if err := null(from.column); err != nil {
			return err
		}
		dst := r.to.Bytes(to, column)
		if r.to.Columns[column].Kind != format.Float32 {
			copy(dst, r.from.Bytes(row, from.column))
			continue
		}
		for i := range from.count(r.from) {
			v := r.from.Float(row, from.column, from.at(i))
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
		}
	}
	frame := r.last()
	frame.Float(r.computed+timestamp, float64(k)/float64(r.rate.Num()))
	frame.Int(r.computed+frameIndex, k)
	frame.Int(r.computed+episodeIndex, r.episodes)
	frame.Int(r.computed+index, r.total+k)
	frame.Int(r.computed+taskIndex, r.task(e, at, k == 0))
	return nil
}

// task returns the number of the task of a frame, the first of an episode or not.
func (r *lerobot) task(e *episode, ns int64, first bool) int64 {
	task := r.job.labels.Task(e.number, ns)
	i, known := r.taskIndex[task]
	if !known {
		i = int64(len(r.tasks))
		r.taskIndex[task], r.tasks = i, append(r.tasks, task)
	}
	if first {
		r.mine = r.mine[:0:0]
	}
	if !slices.Contains(r.mine, task) {
		r.mine = append(r.mine, task)
	}
	return i
}

// describe writes the episode's row of meta/episodes, and counts it.
func (r *lerobot) describe(e *episode) error {
	length, row := r.length(), r.about.Zeros()
	about := r.about.Row(row)
	world, _ := e.int("world")
	column := 0
	for _, v := range [...]int64{r.episodes, length, r.total, r.total + length, r.data.chunk(), r.data.index(),
		r.meta.chunk(), r.meta.index(), e.number, world} {
		about.Int(column, v)
		column++
	}
	for _, v := range [...]bool{e.complete(), e.is("terminated"), e.is("truncated"), e.is("fault")} {
		about.Bool(column, v)
		column++
	}
	about.Float(column, e.float("return"))
	column++
	for _, v := range r.videos {
		about.Int(column, (v.files-1)/lerobotChunk)
		about.Int(column+1, (v.files-1)%lerobotChunk)
		about.Float(column+2, float64(v.frames-length)/float64(r.rate.Num()))
		about.Float(column+3, float64(v.frames)/float64(r.rate.Num()))
		column += 4
	}
	feature := 0
	for l, i := range r.features() {
		rows := r.rows
		if l != r.to {
			rows = r.videos[feature-len(r.to.Columns)].pictures
		}
		var s stats
		s, r.scratch = statsOf(l, i, rows, r.scratch)
		for k, values := range s {
			if k == statCount {
				about.Ints(column, []int64{length})
			} else {
				about.Floats(column, values)
			}
			column++
		}
		r.sums[feature].add(s)
		if l.Columns[i].Width > 0 {
			r.shades[feature] = countShades(r.shades[feature], l, i, rows)
		}
		feature++
	}
	if err := r.all.add(r.rows); err != nil {
		return err
	}
	r.episodes++
	r.total += length
	return r.meta.file.writeWith(row, r.mine...)
}

func (r *lerobot) close() error {
	if r.episodes == 0 {
		return errors.New("lerobot: no episode has a frame, and LeRobot reads no empty dataset")
	}
	err := errors.Join(r.data.file.close(), r.meta.file.close(), r.writeTasks(), r.addQuantiles())
	var videos any
	for _, v := range r.videos {
		err = errors.Join(err, v.close(r.job))
		videos = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
	}
	if err != nil {
		return err
	}
	features, all, feature := map[string]any{}, map[string]any{}, 0
	for l, i := range r.features() {
		c := &l.Columns[i]
		f := map[string]any{"dtype": c.Kind.String(), "shape": []int{l.Values(i)}, "names": nil}
		if c.Width > 0 {
			f = map[string]any{"dtype": "image", "shape": []int{c.Height(), c.Width, c.Channels()},
				"names": []string{"height", "width", "channels"}}
			if l != r.to {
				f["dtype"], f["info"] = "video", r.videos[feature-len(r.to.Columns)].info(r.rate)
			}
		} else if i < len(r.copied) && r.from.Columns[r.copied[i].column].Len > 0 {
			f["names"] = r.namesOf(&r.copied[i])
		}
		features[c.Name] = f
		named := map[string]any{}
		for k, values := range r.sums[feature] {
			if named[statNames[k]] = values; c.Width > 0 && k != statCount {
				var channels [][][]float64 // channels × 1 × 1
				for _, v := range values {
					channels = append(channels, [][]float64{{v}})
				}
				named[statNames[k]] = channels
			}
		}
		all[c.Name] = named
		feature++
	}
	if err := r.job.writeJSON("meta/stats.json", all); err != nil {
		return err
	}
	return r.job.writeJSON("meta/info.json", map[string]any{
		"codebase_version":       lerobotVersion,
		"robot_type":             r.job.d.Metadata.Task,
		"total_episodes":         r.episodes,
		"total_frames":           r.total,
		"total_tasks":            len(r.tasks),
		"chunks_size":            lerobotChunk,
		"data_files_size_in_mb":  lerobotFileMB,
		"video_files_size_in_mb": lerobotVideoMB,
		"fps":                    r.rate.Num(),
		"splits":                 map[string]string{"train": fmt.Sprintf("0:%d", r.episodes)},
		"data_path":              "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
		"video_path":             videos,
		"features":               features,
	})
}

// addQuantiles sets the quantiles of the statistics to those of all frames.
func (r *lerobot) addQuantiles() error {
	var of []int // the feature of each value of a frame that is in no picture
	feature := 0
	for l, i := range r.features() {
		s := &r.sums[feature]
		for k := range quantiles {
			s[statQuantiles+k] = nil
		}
		if l.Columns[i].Width == 0 {
			for range l.Values(i) {
				of = append(of, feature)
			}
		}
		for _, counts := range r.shades[feature] {
			var whole stats
			whole.addShades(counts)
			for k := range quantiles {
				s[statQuantiles+k] = append(s[statQuantiles+k], whole[statQuantiles+k]...)
			}
		}
		feature++
	}
	err := r.all.eachSorted(func(values []float64) {
		r.sums[of[0]].addQuantiles(values)
		of = of[1:]
	})
	return errors.Join(err, r.all.close())
}

// writeTasks writes the table of tasks as pandas writes a frame with the task as its index.
func (r *lerobot) writeTasks() error {
	const index, about = "__index_level_0__", `{"column_indexes":[],"columns":[` +
		`{"field_name":"task_index","metadata":null,"name":"task_index","numpy_type":"int64","pandas_type":"int64"},` +
		`{"field_name":"__index_level_0__","metadata":null,"name":null,"numpy_type":"object","pandas_type":"unicode"}],` +
		`"index_columns":["__index_level_0__"],"pandas_version":"2.0.0"}`
	l := format.NewLayout(&format.Table{Columns: columnsOf(format.Int64, "task_index")})
	f, err := r.job.openParquet("meta/tasks.parquet", l, []text{{name: index}}, "pandas", about)
	if err != nil {
		return err
	}
	for i, task := range r.tasks {
		row := l.Zeros()
		l.Row(row).Int(0, int64(i))
		if err := f.writeWith(row, task); err != nil {
			return errors.Join(err, f.close())
		}
	}
	return f.close()
}

// rolling writes one Parquet file after another, each of about the size that LeRobot prescribes.
type rolling struct {
	job     *job
	pattern string
	layout  *format.Layout
	texts   []text
	schema  string // as Parquet files hold it

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
	r.file, err = r.job.openParquet(fmt.Sprintf(r.pattern, r.files/lerobotChunk, r.files%lerobotChunk), r.layout,
		r.texts, arrowKey, r.schema)
	r.files++
	return err
}

// chunk and index identify the current file.
func (r *rolling) chunk() int64 { return (r.files - 1) / lerobotChunk }
func (r *rolling) index() int64 { return (r.files - 1) % lerobotChunk }
