package terms

import "math"

// Coupling is a constraint of the scene that makes one hinge or slide follow another, or stay where it is:
//
//	q − home = polynomial(q of the driver − its home)
type Coupling struct {
	Joint, Driver int        // indices in Robot.Joints; Driver is −1 if there is none
	Homes         [2]float64 // home of the joint and of its driver, rad or m
	Polynomial    [5]float64 // coefficients, of the constant first
}

// loose is how far a joint may be from where its coupling has it and still be left there, rad or m, and rad/s or m/s.
const loose = 1e-4

// boundCoupling is a coupling in a plan.
type boundCoupling struct {
	Coupling
	joint, driver *Joint
	homes         [2]int // indices in World.Parameters where events change homes; else −1
}

// couplings returns those of the robot, once events are bound.
func (b *Binder) couplings() (list []boundCoupling) {
	for _, c := range b.Robot.Couplings {
		one := boundCoupling{Coupling: c, joint: &b.Robot.Joints[c.Joint], homes: [2]int{-1, -1}}
		if c.Driver >= 0 {
			one.driver = &b.Robot.Joints[c.Driver]
		}
		for i, j := range []*Joint{one.joint, one.driver} {
			if j == nil {
				continue
			}
			if values, ok := b.constant["qpos0/"+j.Name]; ok {
				one.homes[i] = values[0].index
			}
		}
		list = append(list, one)
	}
	return list
}

// settle puts joints where those that they are coupled with have them. Of two whose coupling is linear the one stays
// that is not where it was before; else the driver. parameters are those of the world, nil for the model's.
func settle(list []boundCoupling, state, previous, parameters []float64) {
	for range list { // a driver may follow another joint
		settled := true
		for i := range list {
			if !list[i].settle(state, previous, parameters) {
				settled = false
			}
		}
		if settled {
			return
		}
	}
}

// settle returns false if it has changed the state.
func (c *boundCoupling) settle(state, previous, parameters []float64) bool {
	homes := c.Homes
	for i, index := range c.homes {
		if index >= 0 && parameters != nil {
			homes[i] = parameters[index]
		}
	}
	q, v, x, speed := c.joint.Position.Offset, c.joint.Velocity.Offset, 0.0, 0.0
	if c.driver != nil {
		x, speed = state[c.driver.Position.Offset]-homes[1], state[c.driver.Velocity.Offset]
	}
	value, slope := 0.0, 0.0
	for i := len(c.Polynomial) - 1; i >= 0; i-- {
		slope = value + float64(slope*x)
		value = c.Polynomial[i] + float64(value*x)
	}
	place, drift := homes[0]+value, float64(slope*speed)
	if math.Abs(state[q]-place) <= loose && math.Abs(state[v]-drift) <= loose {
		return true
	}
	p := c.Polynomial
	if c.driver != nil && p[1] != 0 && p[2] == 0 && p[3] == 0 && p[4] == 0 {
		q1, v1 := c.driver.Position.Offset, c.driver.Velocity.Offset
		moves := state[q] != previous[q] || state[v] != previous[v]
		if moves && state[q1] == previous[q1] && state[v1] == previous[v1] {
			state[q1], state[v1] = homes[1]+(state[q]-homes[0]-p[0])/p[1], state[v]/p[1]
			return false
		}
	}
	state[q], state[v] = place, drift
	return false
}
