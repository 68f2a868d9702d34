package format

import (
	"encoding/json"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Calibration is that of the camera that made the pictures of a column. A point at (x, y, z) in its optical frame, m, with x to the
// right, y down and z along the axis of view, is seen at column FX·x/z + CX and row FY·y/z + CY. Whole numbers are the
// middles of pixels, counted from 0 at the top left.
type Calibration struct {
	Width  int     `json:"width"` // pixels
	Height int     `json:"height"`
	FX     float64 `json:"fx"` // pixels, or pixels per m, see Projection; 0 where Intrinsics has them
	FY     float64 `json:"fy"`
	CX     float64 `json:"cx"` // pixels
	CY     float64 `json:"cy"`

	// Projection is "" or [physics.Orthographic]: the rays of the camera are parallel, and a point is seen at column FX·x + CX
	// and row FY·y + CY.
	Projection string `json:"projection,omitempty"`

	// Distortion are OpenCV's coefficients k1, k2, p1, p2 and k3 of the lens; nil: none. A point is then seen at x/z and
	// y/z as the lens distorts them.
	Distortion []float64 `json:"distortion,omitempty"`

	// Pose is the column of the table with the pose of the optical frame in the world, see [PoseNames].
	Pose string `json:"pose"`
	// Intrinsics is the column with fx, fy, cx and cy of each row, where worlds have different ones; "": none.
	Intrinsics string `json:"intrinsics,omitempty"`
}

// PoseNames are the names of the values of a camera's pose: the position in the world, m, and the rotation from the
// optical frame to the world's.
func PoseNames() []string { return []string{"x", "y", "z", "qw", "qx", "qy", "qz"} }

var intrinsicsNames = []string{"fx", "fy", "cx", "cy"}

// cameraSource is the source of the columns of a camera.
const cameraSource = "camera"

// NewCalibration returns the calibration of a camera, with its projection, its focal lengths and its principal point
// along columns and rows, the coefficients of its distortion, if they are not 0, and its columns, whose names begin with a prefix: of its pose and, if the focal lengths vary
// from world to world, of its intrinsics.
func NewCalibration(prefix string, width, height int, projection string, focal, principal [2]float64,
	distortion [5]float64, varies bool) (*Calibration, []Column) {
	camera := &Calibration{Width: width, Height: height, CX: principal[0], CY: principal[1], Projection: projection,
		Pose: prefix + "pose"}
	if distortion != ([5]float64{}) {
		camera.Distortion = distortion[:]
	}
	columns := []Column{{Name: camera.Pose, Kind: Float64, Len: len(PoseNames()), Nullable: true, Source: cameraSource,
		Frame: "world", Names: PoseNames(), Description: "pose of the camera's optical frame, with x to the right, y " +
			"down and z along the axis of view: position in m, and quaternion; the truth"}}
	if !varies {
		camera.FX, camera.FY = focal[0], focal[1]
		return camera, columns
	}
	camera.Intrinsics = prefix + "intrinsics"
	intrinsics := Column{Name: camera.Intrinsics, Kind: Float64, Len: len(intrinsicsNames), Nullable: true,
		Source: cameraSource, Unit: "pixels", Names: intrinsicsNames,
		Description: "focal lengths and principal point of the camera in this world"}
	if projection == physics.Orthographic {
		intrinsics.Unit = ""
		intrinsics.Description = "pixels per m, and column and row of the axis of view, of the camera in this world"
	}
	return camera, append(columns, intrinsics)
}

// OfCamera reports whether the column has pictures, or the pose or intrinsics of a camera.
func (c *Column) OfCamera() bool { return c.Source == cameraSource }

// Prefixed returns the calibration with a prefix before the names of its columns.
func (c *Calibration) Prefixed(prefix string) *Calibration {
	if c == nil {
		return nil
	}
	renamed := *c
	renamed.Pose = prefix + c.Pose
	if c.Intrinsics != "" {
		renamed.Intrinsics = prefix + c.Intrinsics
	}
	return &renamed
}

// text returns the calibration as the metadata of an Arrow field have it, "" for none.
func (c *Calibration) text() string {
	if c == nil {
		return ""
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers were checked
	}
	return string(text)
}

// checkCamera returns an error unless the camera of a column, if it has one, is that of its pictures, and the table has
// its other columns.
func (t *Table) checkCamera(c *Column) error {
	if c.Camera == nil {
		return nil
	}
	if c.Width == 0 || c.Camera.Width != c.Width || c.Camera.Height != c.Height() {
		return fmt.Errorf("its camera has %d × %d pixels, want those of its pictures", c.Camera.Width, c.Camera.Height)
	}
	want := map[string]int{c.Camera.Pose: len(PoseNames())}
	if c.Camera.Intrinsics != "" {
		want[c.Camera.Intrinsics] = len(intrinsicsNames)
	} else if !(c.Camera.FX > 0 && c.Camera.FY > 0) {
		return fmt.Errorf("its camera has focal lengths of %v and %v pixels, want some above 0", c.Camera.FX, c.Camera.FY)
	}
	if p := c.Camera.Projection; p != "" && p != physics.Orthographic {
		return fmt.Errorf("its camera has the projection %q, want %s or none", p, physics.Orthographic)
	}
	if n := len(c.Camera.Distortion); n != 0 && n != 5 {
		return fmt.Errorf("its camera has %d values of a distortion, want k1, k2, p1, p2 and k3", n)
	}
	for i := range t.Columns {
		if o := &t.Columns[i]; o.Kind == Float64 && o.Len > 0 && want[o.Name] == o.Len {
			delete(want, o.Name)
		}
	}
	if len(want) > 0 {
		return fmt.Errorf("its camera has no columns %q and %q of %d and %d values in the table", c.Camera.Pose,
			c.Camera.Intrinsics, len(PoseNames()), len(intrinsicsNames))
	}
	return nil
}
