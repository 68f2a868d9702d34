package mujoco

import "slices"

// Trees returns what belongs to an entity, by the bodies below the world that carry it: those of the hinges and slides
// that actuators move, the first of these first, and then those of joints that are coupled with such. Where no actuator
// moves a joint, all hinges and slides count; where there are none, what other actuators act on; then ball and free
// joints. Of an entity beside the robot it is one body at least. A gripper whose palm is fused into the world has a tree
// for each finger; a robot that moves freely has one tree, and what else its file has that moves is none of it.
func (d *Description) Trees(entity int) (roots []int) {
	add := func(body int) {
		if root := d.Bodies[body].Root; root > 0 && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	driven := d.drivenJoints(entity)
	for _, j := range driven {
		add(d.Joints[j].Body)
	}
	for range d.Couplings { // a driver may follow another joint
		for _, c := range d.Couplings {
			if c.Driver >= 0 && slices.Contains(driven, c.Driver) != slices.Contains(driven, c.Joint) {
				driven = append(driven, c.Driver, c.Joint)
				add(d.Joints[c.Driver].Body)
				add(d.Joints[c.Joint].Body)
			}
		}
	}
	for i, root := range roots {
		if d.isFree(root) {
			return roots[i : i+1]
		}
	}
	if roots != nil {
		return roots
	}
	for _, a := range d.Actuators {
		switch {
		case a.Entity != entity || a.Target < 0:
		case a.Transmission == "site":
			add(d.Sites[a.Target].Body)
		case a.Transmission == "joint" || a.Transmission == "jointinparent":
			add(d.Joints[a.Target].Body)
		case a.Transmission == "body":
			add(a.Target)
		}
	}
	for _, kind := range []string{"ball", "free"} {
		for _, j := range d.Joints {
			if roots == nil && j.Entity == entity && j.Type == kind {
				add(j.Body)
			}
		}
	}
	if first := slices.IndexFunc(d.Bodies, func(b Body) bool { return b.Entity == entity }); roots == nil && entity > 0 &&
		first >= 0 {
		add(first)
	}
	return roots
}

// isFree reports whether a body has a free joint.
func (d *Description) isFree(body int) bool {
	return slices.ContainsFunc(d.Bodies[body].Joints, func(j int) bool { return d.Joints[j].Type == "free" })
}

// drivenJoints returns the hinges and slides of an entity that actuators move, or all where they move none.
func (d *Description) drivenJoints(entity int) (driven []int) {
	var all []int
	for i, j := range d.Joints {
		if j.Entity != entity || j.PositionSize != 1 {
			continue
		}
		all = append(all, i)
		if len(j.Actuators) > 0 {
			driven = append(driven, i)
		}
	}
	if driven == nil {
		return all
	}
	return driven
}
