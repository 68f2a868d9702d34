"""Open a scene that was exported as MJCF and as MJB with MuJoCo's own package, and compare sizes and steps."""

import sys

import mujoco
import numpy as np


def main(xml, mjb):
    models = mujoco.MjModel.from_xml_path(xml), mujoco.MjModel.from_binary_path(mjb)
    for size in "nq nv nu nbody ngeom nhfield nhfielddata nmesh njnt nsensor nkey na nstate".split():
        a, b = (getattr(m, size, None) for m in models)
        assert a == b, f"{size} is {a} of MJCF and {b} of MJB"
    a, b = models
    assert a.nhfield > 0 and a.nu > 0 and a.opt.timestep == b.opt.timestep == 0.0025
    names = "hfield_data geom_size jnt_range actuator_gainprm actuator_biasprm actuator_forcerange key_qpos key_ctrl"
    for name in names.split():
        assert np.array_equal(getattr(a, name), getattr(b, name)), f"{name} differs"
    states = []
    for m in models:
        d = mujoco.MjData(m)
        if m.nkey:
            mujoco.mj_resetDataKeyframe(m, d, 0)
        for k in range(200):
            d.ctrl[:] = 0.1 * np.sin(0.1 * k)
            mujoco.mj_step(m, d)
        states.append(d.qpos.copy())
    difference = np.abs(states[0] - states[1]).max()
    assert difference < 1e-6, f"positions differ by {difference} after 200 steps"


main(*sys.argv[1:])
