package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/ffmpeg"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/recorder/export"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// maxExportMemory limits --memory, in MiB. No machine has as much.
const maxExportMemory = 1 << 20

func newExport() *cobra.Command {
	var help strings.Builder
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
		fmt.Fprintf(&help, "\n  %-8s %s", f.Name, f.Description)
	}
	cmd := &cobra.Command{
		Use:     "export DATASET --to FORMAT --out DIR",
		Short:   "Convert a dataset to the format of another tool",
		Example: "  train export runs/walk --to parquet --out walk-parquet",
		Long: "Convert the dataset in the folder DATASET, which may also be a run folder, to another format:\n" +
			help.String() +
			"\n\nRows are sorted by episode. DIR must be new or empty; " +
			"it appears when all is written. The dataset of a killed run is recovered first.",
		Args: oneArgument("DATASET"),
	}
	formatName := cmd.Flags().String("to", "", "write `FORMAT`")
	complete(cmd, "to", names...)
	out := cmd.Flags().String("out", "", "write to the folder `DIR`")
	opt := export.Options{}
	cmd.Flags().StringSliceVar(&opt.Tables, "table", nil,
		"export the table `NAME`; may be repeated (default all; lerobot: control, or capture for its pictures)")
	cmd.Flags().BoolVar(&opt.Complete, "complete", false, "leave out episodes that did not end before the run did")
	cmd.Flags().BoolVar(&opt.Video, "video", false,
		"encode colour pictures as videos, with loss; takes ffmpeg (lerobot)")
	licence := addCard(cmd, "in DIR")
	memory := cmd.Flags().Int64("memory", 256, "sort up to `MIB` of rows in memory, more in a temporary file")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkChoice("to", *formatName, names...); err != nil {
			return err
		}
		format, err := export.FormatOf(*formatName)
		if err != nil {
			return err
		}
		if err := checkOut(*out, "folder", "DIR"); err != nil {
			return err
		}
		if *memory < 1 || *memory > maxExportMemory {
			return usagef("--memory is %d, want 1 to %d", *memory, int64(maxExportMemory))
		}
		opt.Memory = *memory << 20
		if licence.card {
			opt.Card = licence.id
		}
		d, err := openDataset(cmd.ErrOrStderr(), args[0])
		if err != nil {
			return err
		}
		if d, err = joinCameras(d); err != nil {
			return err
		}
		start := time.Now()
		result, err := work(cmd, "exporting", func(bar *progress) (export.Result, error) {
			opt.Progress = func(done, total int64) { bar.count("row")(done/2, total/2) } // each row is read and written
			return export.Export(cmd.Context(), d, format, *out, opt)
		})
		if errors.Is(err, export.ErrFolder) || errors.Is(err, export.ErrName) || errors.Is(err, export.ErrTable) ||
			errors.Is(err, export.ErrVideo) || errors.Is(err, ffmpeg.ErrMissing) {
			return asUsage(err)
		}
		if err != nil {
			return err
		}
		noteExport(cmd.ErrOrStderr(), result, opt.Complete)
		seconds := time.Since(start).Seconds()
		fmt.Fprintf(cmd.OutOrStdout(), "%s, %s in %s: %d bytes, %.0f rows/s\n",
			count(result.Episodes, "episode"), count(result.Rows, "row"), *out, result.Bytes,
			float64(result.Rows)/seconds)
		return nil
	}
	return cmd
}

// joinCameras returns a dataset with the pictures that train render --into has added, as columns of its table capture.
func joinCameras(d *recorder.Dataset) (*recorder.Dataset, error) {
	const prefix = "camera-"
	entries, err := os.ReadDir(d.Dir())
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		camera, ok := strings.CutPrefix(entry.Name(), prefix)
		if !ok {
			continue
		}
		added, err := recorder.Open(filepath.Join(d.Dir(), entry.Name()))
		if err != nil {
			return nil, err
		}
		if d, err = d.Join(format.CaptureTable, added, camera+"_"); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func noteExport(stderr io.Writer, r export.Result, complete bool) {
	switch {
	case r.Incomplete > 0 && complete:
		fmt.Fprintf(stderr, "note: left out: %s that the run did not end\n", count(r.Incomplete, "episode"))
	case r.Incomplete > 0:
		fmt.Fprintf(stderr, "note: marked as incomplete: %s that the run did not end\n", count(r.Incomplete, "episode"))
	}
	for _, table := range r.Pictures {
		fmt.Fprintf(stderr, "note: left out: the pictures of table %s, which --table %s has\n", table, table)
	}
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		fmt.Fprintf(stderr, "note: left out: %s: %s\n", count(r.LeftOut[why], "episode"), why)
	}
}
