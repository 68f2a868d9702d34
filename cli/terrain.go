package cli

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

func newTerrain() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "terrain --config FILE",
		Short:   "Show the rough ground of a configuration",
		Example: "  train terrain --config robot.yaml --out ground.png",
		Long: "List the kinds of ground in scene.terrain of a configuration, with their columns, heights and sizes. " +
			"With --out, draw the terrain from above as a PNG: the first row at the bottom, light where it is " +
			"high, and where starts are.",
		Args: withoutArguments,
	}
	var config configFlags
	config.Add(cmd)
	out := cmd.Flags().String("out", "", "draw to `FILE.png`")
	scale := cmd.Flags().Int("scale", 10, "draw `N` pixels for each metre, 1 to 100")
	force := cmd.Flags().Bool("force", false, "replace FILE.png if it is there")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.Load()
		if err != nil {
			return err
		}
		if *scale < 1 || *scale > 100 {
			return usagef("--scale is %d, want 1 to 100", *scale)
		}
		if *out != "" {
			if err := checkNew("out", *out, *force, ".png"); err != nil {
				return err
			}
		}
		s := c.Scene.Terrain
		if !s.Given() {
			return configs.Error{Err: errors.New("scene.terrain: not given, want a terrain to show")}
		}
		if need, most := s.Bytes(), float64(c.Scene.MemoryBytes()); need > most {
			return configs.Error{Err: fmt.Errorf(
				"scene.terrain takes about %.6g MB of memory to compile, want at most %.6g MB "+
					"(scene.memory_mb)", math.Ceil(need/(1<<20)), most/(1<<20))}
		}
		start := time.Now()
		t, err := terrain.Make(s)
		if err != nil {
			return configs.Error{Err: fmt.Errorf("scene.terrain.%w", err)}
		}
		listTerrain(cmd.OutOrStdout(), t, time.Since(start))
		for _, note := range t.Notes() {
			printWarning(cmd, "scene.terrain."+note)
		}
		if *out == "" {
			return nil
		}
		picture, err := drawTerrain(t, *scale)
		if err != nil {
			return usagef("--scale: %w", err)
		}
		write := func(w io.Writer) error { return png.Encode(w, picture) }
		if err := disk.Replace(disk.OS{}, *out, false, write); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", *out)
		return nil
	}
	return cmd
}

// listTerrain prints a line for each kind.
func listTerrain(w io.Writer, t *terrain.Terrain, elapsed time.Duration) {
	fields, samples := t.Samples()
	fmt.Fprintf(w, "%d rows and %d columns of %v m × %v m: %d boxes, %d fields of %d samples in all, made in %v; "+
		"about %.3g MB to compile\n\n", t.Rows, t.Columns, t.Size[0], t.Size[1], t.Boxes(), fields, samples,
		elapsed.Round(time.Millisecond), t.Bytes()/(1<<20))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "KIND\tCOLUMNS\tMADE OF\tFIRST ROW (m)\tLAST ROW (m)\tFLAT PLACES\n")
	for first := 0; first < t.Columns; {
		end := first
		for end < t.Columns && t.Patch(0, end).Kind == t.Patch(0, first).Kind {
			end++
		}
		shape, flat := "boxes", 0
		for row := range t.Rows {
			for column := first; column < end; column++ {
				flat += len(t.Patch(row, column).Flat)
			}
		}
		if t.Patch(t.Rows-1, first).Field != nil {
			shape = "field"
		}
		fmt.Fprintf(table, "%s\t%d to %d\t%s\t%s\t%s\t%d\n", t.Patch(0, first).Kind, first, end-1, shape,
			heightsOf(t, t.Patch(0, first)), heightsOf(t, t.Patch(t.Rows-1, first)), flat)
		first = end
	}
	table.Flush()
}

// heightsOf says how low and high a patch is.
func heightsOf(t *terrain.Terrain, p *terrain.Patch) string {
	low, high := t.Around(p.Origin[0], p.Origin[1], min(t.Size[0], t.Size[1])/2)
	return strings.ReplaceAll(fmt.Sprintf("%.2f to %.2f", low+0, high+0), "-0.00", "0.00")
}

// maxTerrainPixels bounds the picture's memory.
const maxTerrainPixels = 1 << 26

// drawTerrain draws the terrain from above, x upwards and y to the left, with light from the upper left.
func drawTerrain(t *terrain.Terrain, scale int) (*image.RGBA, error) {
	width := int(float64(scale) * (float64(t.Columns)*t.Size[1] + 2*t.BorderWidth))
	height := int(float64(scale) * (float64(t.Rows)*t.Size[0] + 2*t.BorderWidth))
	if width*height > maxTerrainPixels {
		return nil, fmt.Errorf("a picture of %d × %d pixels, want at most %d in all", width, height, maxTerrainPixels)
	}
	position := func(px, py int) (x, y float64) {
		x, y = float64(height)/2-float64(py)-0.5, float64(width)/2-float64(px)-0.5
		return x / float64(scale), y / float64(scale)
	}
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for py := range height {
		for px := range width {
			x, y := position(px, py)
			x1, y1 := position(px+1, py+1)
			z := t.Height(x, y)
			light := math.Tanh(3 * (2*z - t.Height(x1, y) - t.Height(x, y1)) * float64(scale) / 10)
			m.SetRGBA(px, py, ground(z, light))
		}
	}
	for i := range t.Patches {
		p := &t.Patches[i]
		mark(m, p.Origin, scale, color.RGBA{0xd5, 0x5e, 0x00, 0xff})
		for _, f := range p.Flat {
			mark(m, f, scale, color.RGBA{0x00, 0x72, 0xb2, 0xff})
		}
	}
	return m, nil
}

// ground is the colour of a height in m, from -1 to 1 between dark and light, with light on a slope of -1 to 1.
func ground(z, light float64) color.RGBA {
	shade := 0.5 + 0.35*math.Tanh(z) + 0.2*light
	level := func(gain float64) uint8 { return uint8(255 * min(max(gain*shade+0.05, 0), 1)) }
	return color.RGBA{level(1.05), level(1.0), level(0.85), 0xff}
}

// mark draws a square about a place.
func mark(m *image.RGBA, place [3]float64, scale int, c color.RGBA) {
	px := m.Rect.Dx()/2 - int(math.Round(place[1]*float64(scale)))
	py := m.Rect.Dy()/2 - int(math.Round(place[0]*float64(scale)))
	half := max(1, scale/5)
	for y := py - half; y <= py+half; y++ {
		for x := px - half; x <= px+half; x++ {
			if image.Pt(x, y).In(m.Rect) {
				m.SetRGBA(x, y, c)
			}
		}
	}
}
