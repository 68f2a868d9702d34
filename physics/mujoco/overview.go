package mujoco

// #include "optics.h"
// #include "robot.h"
import "C"

import (
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

var _ physics.Drawable = (*Model)(nil)

// Cameras implements [physics.Drawable].
func (m *Model) Cameras() []string {
	names := make([]string, int(m.c.ncam))
	for i := range names {
		names[i] = m.name(C.mjOBJ_CAMERA, i)
	}
	return names
}

// Pose implements [physics.Drawable]: qpos, and the positions and quaternions of the mocap bodies.
func (m *Model) Pose() physics.Vector {
	p, err := m.Probe("pose")
	if err != nil {
		panic(err) // every model has the probe
	}
	return p
}

// PoseOf implements [physics.Drawable].
func (m *Model) PoseOf(row, dst []float64) {
	for _, field := range []string{"qpos", "mocap_pos", "mocap_quat"} {
		dst = dst[copy(dst, m.Fields[field].In(row)):]
	}
}

// Scenery implements [physics.Drawable]: a model has none.
func (m *Model) Scenery() physics.Span { return physics.Span{} }

// Overview implements [physics.Optical]: what MuJoCo's free camera shows. The robot is the tree of bodies
// with the most actuators and, of those, the most degrees of freedom.
func (m *Model) Overview(looks []physics.Vector) (physics.Overview, error) {
	robot, err := m.findRobot()
	if err != nil {
		return physics.Overview{}, err
	}
	o := physics.Overview{
		Azimuth:       float64(m.c.vis.global.azimuth),
		Elevation:     float64(m.c.vis.global.elevation),
		Orthographic:  m.c.vis.global.orthographic != 0,
		FieldOfView:   float64(m.c.vis.global.fovy),
		Centre:        [3]float64(numbers(&m.c.stat.center[0], 0, 3)),
		Distance:      1.5 * float64(m.c.stat.extent),
		RobotDistance: float64(robot.distance),
		Sky:           len(m.skyboxes()) > 0,
		ColoredSky:    colorsSky(looks),
	}
	return o, nil
}

func (m *Model) findRobot() (robot C.pr_Robot, err error) {
	err = try(func(message *C.char) bool { return C.pr_findRobot(m.c, &robot, message) == 0 })
	return robot, err
}
