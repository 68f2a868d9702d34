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
	lerobotChunk     = 1000 // files in a folder
	lerobotFileMB    = 100  // a file of this size is ended at the end of its episode
	lerobotData      = "data/chunk-%03d/file-%03d.parquet"
	lerobotEpisodes  = "meta/episodes/chunk-%03d/file-%03d.parquet"
	lerobotImages    = "observation.images."
	lerobotVideos    = "videos/%s/chunk-%03d/file-%03d.mp4"
	lerobotVideoMB   = 200 // as lerobotFileMB, of videos
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
	r.sums = make([]stats, len(r.output.Columns)+len(r.videos))
	r.shades = make([][]shades, len(r.sums))
	r.all = newPopulation(j.fsys, filepath.Join(j.tmp, "values"), r.output, j.opt.Memory/4)
	defer r.all.close() // unless it is closed
	tasks := []text{{name: "tasks", list: true}}
	r.taskIndex = map[string]int64{}
	schema := arrow.NewSchema(append(arrowSchema(r.metaLayout).Fields(),
		arrow.Field{Name: "tasks", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}), nil)
	r.data = rolling{job: j, pattern: lerobotData, layout: r.output, schema: encodeSchema(arrowSchema(r.output))}
	r.meta = rolling{job: j, pattern: lerobotEpisodes, layout: r.metaLayout, schema: encodeSchema(schema), texts: tasks}
	return r.export([]*format.Table{r.input.Table}, r.write, r.close)
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
	return slices.ContainsFunc(t.Columns, func(c format.Column) bool { return c.Width > 0 || len(c.Pictures) > 0 })
}

// notePictures notes the tables whose pictures the frames of another have not.
func (j *job) notePictures(frames *format.Table) {
	if pictured(frames) {
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
	rate          runners.Rate
	sources       []source // sources of the first columns of the frames, by column
	firstComputed int      // number of the first computed column
	videos        []*video

	data, meta rolling
	metaLayout *format.Layout // layout of the rows of meta
	sums       []stats        // statistics by column of the frames, then by video
	shades     [][]shades     // shades of pictures, by column of the frames, then by video
	all        *population
	scratch    []float64

	someSuccess, allSuccess bool // it is known of some episodes, and of all, whether they succeeded

	tasks        []string // in the order of their first frames
	taskIndex    map[string]int64
	episodeTasks []string // tasks of the episode
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
	columnsOf(format.Int64, "frame_index", "episode_index", "index", "task_index"),
	columnsOf(format.Bool, "next.success"))

// metaColumns are those of meta/episodes; the statistics of each feature follow.
var metaColumns = slices.Concat(
	columnsOf(format.Int64, "episode_index", "length", "dataset_from_index", "dataset_to_index", "data/chunk_index",
		"data/file_index", "meta/episodes/chunk_index", "meta/episodes/file_index", "polyrhythm/episode",
		"polyrhythm/world"),
	columnsOf(format.Bool, "polyrhythm/complete", "polyrhythm/terminated", "polyrhythm/truncated", "polyrhythm/fault"),
	columnsOf(format.Float64, "polyrhythm/return"))

// observations adds the columns of an observation: what a policy sees but pictures, which have columns of their own,
// and what only others see.
func (r *lerobot) observations(i int, add func(source, format.Column)) {
	for _, observer := range observers(r.input, i, false) {
		name := format.Privileged + observer.group
		if observer.group == format.PolicyGroup {
			name = "observation.state"
		}
		if n := observer.count(); n > 0 {
			add(observer.source, format.Column{Name: name, Kind: format.Float32, Len: n})
		}
	}
}

// addPictures adds the pictures that the policy observes, where rows store them as such, not in floats of which images have
// no more than bytes, and have none of the camera.
func (r *lerobot) addPictures(list *format.Column, add func(source, format.Column) error) error {
	storage := r.input.Storage()
	for _, p := range list.Pictures {
		end := 0
		ofPolicy := slices.ContainsFunc(list.Parts, func(part format.Part) bool {
			end += part.Len
			return p.First >= end-part.Len && p.First < end && part.Picture && part.Group == format.PolicyGroup
		})
		name := strings.TrimPrefix(p.Name, list.Name+"_")
		if !ofPolicy || p.Floats || r.input.Has(name) { // that of the camera itself is of the frame's time
			continue
		}
		from := source{layout: storage, column: storage.Column(p.Name), far: p.Far}
		picture := format.PictureColumn(name, p.Kind, p.Width, p.Height)
		if err := add(from, picture); err != nil {
			return err
		}
	}
	return nil
}

// describeFrames sets the columns of the frames. LeRobot treats a vector of one value as a single value, and every
// column whose name begins with observation or action as an input or output of the policy, so stamps are left out.
func (r *lerobot) describeFrames() error {
	var columns []format.Column
	add := func(source source, column format.Column) {
		if column.Len == 1 && column.Width == 0 {
			column.Len = 0
		}
		r.sources, columns = append(r.sources, source), append(columns, column)
	}
	addPicture := func(from source, picture format.Column) error {
		picture.Name = lerobotImages + strings.ReplaceAll(picture.Name, "/", ".")
		if r.job.opt.Video && picture.Kind == format.Uint8 && picture.Channels() == 3 {
			return r.addVideo(from, picture)
		}
		add(from, picture)
		return nil
	}
	for i, c := range r.input.Columns {
		column := format.Column{Name: c.Name, Kind: format.Float32, Len: c.Len}
		switch {
		case c.Name == "t_ns":
			column.Kind, column.Len = format.Int64, 0
		case c.Name == "sync" || c.Name == "fault":
			column.Kind, column.Len = format.Bool, 0
		case c.Width > 0:
			column.Kind, column.Width = c.Kind, c.Width
			if err := addPicture(source{layout: r.input, column: i}, column); err != nil {
				return err
			}
			continue
		// a policy must not see the true state
		case c.Len == 0, c.Name == format.PoseColumn, c.Name == format.LookColumn, c.Name == format.InfoColumn, c.OfCamera():
			continue
		case c.Name == "action":
		case c.Name == "observation":
			r.observations(i, add)
			if err := r.addPictures(&r.input.Columns[i], addPicture); err != nil {
				return err
			}
			continue
		case c.Kind == format.Float64 || c.Kind == format.Float32:
			column.Name = "observation." + strings.ReplaceAll(c.Name, "/", ".")
		default:
			continue
		}
		add(source{layout: r.input, column: i}, column)
	}
	if r.job.opt.Video && len(r.videos) == 0 {
		return fmt.Errorf("table %q has no colour pictures to make videos of: %w with them, or add some by "+
			"train render --into", r.input.Name, ErrTable)
	}
	r.firstComputed = len(columns)
	columns = append(columns, computedColumns...)
	some, all, err := r.job.successes()
	if err != nil {
		return err
	}
	if r.someSuccess = some; !all {
		columns = columns[:len(columns)-1]
	}
	r.allSuccess = all
	if r.input.Name != format.ControlTable {
		columns[r.firstComputed+nextReward].Name = "next.reward_sum"
	}
	r.become(columns)
	return nil
}

// successes reports whether the run or labels say of some episodes, and of all, whether they succeeded.
func (j *job) successes() (some, all bool, err error) {
	known := func(episode int64, recorded *bool) {
		said := j.labels.Success(episode, recorded) != nil
		some, all = some || said, all && said
	}
	all = true
	if i := j.d.Table(format.EpisodesTable); i >= 0 {
		column := j.d.Tables[i].Column("success")
		for r, err := range j.d.EachRow(format.EpisodesTable) {
			if err != nil {
				return false, false, err
			}
			var recorded *bool
			if column >= 0 && !r.IsNull(r.Row, column) {
				recorded = new(bool)
			}
			known(r.Int("episode"), recorded)
		}
	} else {
		known(-1, nil) // by a label of all
	}
	if !j.opt.Complete {
		for episode := range j.incomplete {
			known(episode, nil)
		}
	}
	return some || slices.ContainsFunc(j.labels.List, func(l recorder.Label) bool { return l.Success != nil }), all, nil
}

// namesOf returns the name of each value of a source.
func (r *lerobot) namesOf(s *source) []string {
	c := s.from()
	names, known := make([]string, s.count()), c.ValueNames()
	for i := range names {
		if known != nil && known[s.index(i)] != "" {
			names[i] = known[s.index(i)]
		} else {
			names[i] = fmt.Sprintf("%s_%d", c.Name, s.index(i))
		}
	}
	return names
}

func (r *lerobot) describeEpisodes() {
	columns := slices.Clone(metaColumns)
	if r.someSuccess {
		columns = append(columns, columnsOf(format.Int64, "polyrhythm/success")...)
	}
	for _, v := range r.videos {
		prefix := "videos/" + v.name() + "/"
		columns = append(append(columns, columnsOf(format.Int64, prefix+"chunk_index", prefix+"file_index")...),
			columnsOf(format.Float64, prefix+"from_timestamp", prefix+"to_timestamp")...)
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
	r.metaLayout = format.NewLayout(&format.Table{Columns: columns})
}

// features yields the columns of the frames, then those of the videos, each with its layout.
func (r *lerobot) features() iter.Seq2[*format.Layout, int] {
	return func(yield func(*format.Layout, int) bool) {
		for i := range r.output.Columns {
			if !yield(r.output, i) {
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
	if !e.lacksRows() { // otherwise the last row is not the episode's last
		steps, _ := e.int(r.prefix + "tail_reward_steps")
		last := r.last()
		last.Float(r.firstComputed+nextReward, e.float(r.prefix+"tail_reward"))
		last.Int(r.firstComputed+nextSteps, steps)
		last.Bool(r.firstComputed+nextTerminated, e.flag("terminated"))
		last.Bool(r.firstComputed+nextTruncated, e.flag("truncated"))
		last.Bool(r.firstComputed+nextDone, e.complete())
		if success := e.success(); success != nil && r.allSuccess {
			last.Bool(r.firstComputed+nextSuccess, *success)
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
	k, ns := r.length(), r.input.Int(row, r.time)
	if want := r.rate.Timestamp(k); ns != want {
		return fmt.Errorf("lerobot: row %d of episode %d in table %q is at %d ns, want %d: its clock changed while "+
			"it ran", k, e.number, r.input.Name, ns, want)
	}
	if k > 0 {
		r.last().Float(r.firstComputed+nextReward, r.input.Float(row, r.reward, 0))
		r.last().Int(r.firstComputed+nextSteps, r.input.Int(row, r.rewardSteps))
	}
	frameBytes := r.grow()
	null := func(s *source) error {
		if !s.layout.IsNull(row, s.column) {
			return nil
		}
		return fmt.Errorf("lerobot: %s is null at %d ns of episode %d in table %q, and LeRobot has no nulls",
			s.from().Name, ns, e.number, r.input.Name)
	}
	for _, v := range r.videos {
		if err := null(&v.source); err != nil {
			return err
		}
		v.add(v.source.layout.Bytes(row, v.source.column))
	}
	for column := range r.sources {
		source := &r.sources[column]
		if err := null(source); err != nil {
			return err
		}
		dst := r.output.Bytes(frameBytes, column)
		if source.far > 0 {
			for i := range source.count() {
				depth := source.layout.Float(row, source.column, i)
				binary.NativeEndian.PutUint16(dst[2*i:], format.Millimetres(depth, source.far))
			}
			continue
		}
		if r.output.Columns[column].Kind != format.Float32 {
			copy(dst, source.layout.Bytes(row, source.column))
			continue
		}
		for i := range source.count() {
			v := source.layout.Float(row, source.column, source.index(i))
			binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
		}
	}
	frame := r.last()
	frame.Float(r.firstComputed+timestamp, float64(k)/float64(r.rate.Num()))
	frame.Int(r.firstComputed+frameIndex, k)
	frame.Int(r.firstComputed+episodeIndex, r.episodes)
	frame.Int(r.firstComputed+index, r.total+k)
	frame.Int(r.firstComputed+taskIndex, r.task(e, ns, k == 0))
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
		r.episodeTasks = r.episodeTasks[:0:0]
	}
	if !slices.Contains(r.episodeTasks, task) {
		r.episodeTasks = append(r.episodeTasks, task)
	}
	return i
}

// describe writes the episode's row of meta/episodes, and counts it.
func (r *lerobot) describe(e *episode) error {
	length, row := r.length(), r.metaLayout.Zeros()
	meta := r.metaLayout.Row(row)
	world, _ := e.int("world")
	column := 0
	for _, v := range [...]int64{r.episodes, length, r.total, r.total + length, r.data.chunk(), r.data.index(),
		r.meta.chunk(), r.meta.index(), e.number, world} {
		meta.Int(column, v)
		column++
	}
	for _, v := range [...]bool{e.complete(), e.flag("terminated"), e.flag("truncated"), e.flag("fault")} {
		meta.Bool(column, v)
		column++
	}
	meta.Float(column, e.float("return"))
	column++
	if r.someSuccess {
		said := int64(-1)
		if success := e.success(); success != nil {
			said = 0
			if *success {
				said = 1
			}
		}
		meta.Int(column, said)
		column++
	}
	for _, v := range r.videos {
		meta.Int(column, (v.files-1)/lerobotChunk)
		meta.Int(column+1, (v.files-1)%lerobotChunk)
		meta.Float(column+2, float64(v.frames-length)/float64(r.rate.Num()))
		meta.Float(column+3, float64(v.frames)/float64(r.rate.Num()))
		column += 4
	}
	feature := 0
	for l, i := range r.features() {
		rows := r.rows
		if l != r.output {
			rows = r.videos[feature-len(r.output.Columns)].pictures
		}
		var s stats
		s, r.scratch = statsOf(l, i, rows, r.scratch)
		for k, values := range s {
			if k == statCount {
				meta.Ints(column, []int64{length})
			} else {
				meta.Floats(column, values)
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
	return r.meta.file.writeWith(row, r.episodeTasks...)
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
			if l != r.output {
				f["dtype"], f["info"] = "video", r.videos[feature-len(r.output.Columns)].info(r.rate)
			} else if segments := r.sources[i].from().Segments; segments != nil {
				f["segments"] = segments
			}
		} else if i < len(r.sources) && r.sources[i].from().Len > 0 {
			f["names"] = r.namesOf(&r.sources[i])
		}
		features[c.Name] = f
		statistics := map[string]any{}
		for k, values := range r.sums[feature] {
			if statistics[statNames[k]] = values; c.Width > 0 && k != statCount {
				var channels [][][]float64 // channels × 1 × 1
				for _, v := range values {
					channels = append(channels, [][]float64{{v}})
				}
				statistics[statNames[k]] = channels
			}
		}
		all[c.Name] = statistics
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
	var features []int // the feature of each value of a frame that is in no picture
	feature := 0
	for l, i := range r.features() {
		s := &r.sums[feature]
		for k := range quantiles {
			s[statQuantiles+k] = nil
		}
		if l.Columns[i].Width == 0 {
			for range l.Values(i) {
				features = append(features, feature)
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
		r.sums[features[0]].addQuantiles(values)
		features = features[1:]
	})
	return errors.Join(err, r.all.close())
}

// writeTasks writes the table of tasks as pandas writes a frame with the task as its index.
func (r *lerobot) writeTasks() error {
	const index, metadata = "__index_level_0__", `{"column_indexes":[],"columns":[` +
		`{"field_name":"task_index","metadata":null,"name":"task_index","numpy_type":"int64","pandas_type":"int64"},` +
		`{"field_name":"__index_level_0__","metadata":null,"name":null,` +
		`"numpy_type":"object","pandas_type":"unicode"}],` +
		`"index_columns":["__index_level_0__"],"pandas_version":"2.0.0"}`
	l := format.NewLayout(&format.Table{Columns: columnsOf(format.Int64, "task_index")})
	f, err := r.job.openParquet("meta/tasks.parquet", l, []text{{name: index}}, "pandas", metadata)
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
	schema  string // schema in the encoding of Parquet files

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
