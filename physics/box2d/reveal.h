// Names for the members of Box2D's classes that decide the future and have no
// accessor, or no setter without side effects. The usual access checks do not
// apply to names in an explicit instantiation ([temp.spec.general] of the C++
// standard): each line below instantiates a template whose friend hands the
// member's pointer out. Nothing of Box2D is copied or patched.

#ifndef POLYRHYTHM_PHYSICS_BOX2D_REVEAL_H_
#define POLYRHYTHM_PHYSICS_BOX2D_REVEAL_H_

#include <box2d/box2d.h>

namespace reveal {

// After PB_REVEAL(name, type, owner, member), Of(object, name()) is object.member.

template <typename Tag, typename Tag::Type member>
struct Hand {
  friend constexpr typename Tag::Type Get(Tag) { return member; }
};

#define PB_REVEAL(name, type, owner, member)     \
  struct name {                                  \
    using Type = type owner::*;                  \
    friend constexpr Type Get(name);             \
  };                                             \
  template struct Hand<name, &owner::member>;

PB_REVEAL(WorldInvDt0, float, b2World, m_inv_dt0)
PB_REVEAL(WorldNewContacts, bool, b2World, m_newContacts)
PB_REVEAL(BodyTransform, b2Transform, b2Body, m_xf)
PB_REVEAL(BodySweep, b2Sweep, b2Body, m_sweep)
PB_REVEAL(BodyLinearVelocity, b2Vec2, b2Body, m_linearVelocity)
PB_REVEAL(BodyAngularVelocity, float, b2Body, m_angularVelocity)
PB_REVEAL(BodyForce, b2Vec2, b2Body, m_force)
PB_REVEAL(BodyTorque, float, b2Body, m_torque)
PB_REVEAL(BodySleepTime, float, b2Body, m_sleepTime)
PB_REVEAL(BodyCentralInertia, float, b2Body, m_I)
PB_REVEAL(FixtureProxies, b2FixtureProxy*, b2Fixture, m_proxies)
PB_REVEAL(ContactFlags, uint32, b2Contact, m_flags)
PB_REVEAL(JointImpulse, b2Vec2, b2RevoluteJoint, m_impulse)
PB_REVEAL(JointMotorImpulse, float, b2RevoluteJoint, m_motorImpulse)
PB_REVEAL(JointLowerImpulse, float, b2RevoluteJoint, m_lowerImpulse)
PB_REVEAL(JointUpperImpulse, float, b2RevoluteJoint, m_upperImpulse)
PB_REVEAL(JointMotorSpeed, float, b2RevoluteJoint, m_motorSpeed)
PB_REVEAL(JointMaxMotorTorque, float, b2RevoluteJoint, m_maxMotorTorque)
PB_REVEAL(BroadPhaseTree, b2DynamicTree, b2BroadPhase, m_tree)
PB_REVEAL(BroadPhaseMoveCount, int32, b2BroadPhase, m_moveCount)
PB_REVEAL(TreeRoot, int32, b2DynamicTree, m_root)
PB_REVEAL(TreeNodes, b2TreeNode*, b2DynamicTree, m_nodes)
PB_REVEAL(TreeInsertionCount, int32, b2DynamicTree, m_insertionCount)

#undef PB_REVEAL

// A flag that derived classes may name.
struct Contact : b2Contact {
  static constexpr uint32 kTouching = e_touchingFlag;
};

template <typename Tag, typename Object>
decltype(auto) Of(Object& object, Tag tag) {
  return (object.*Get(tag));
}

}  // namespace reveal

#endif  // POLYRHYTHM_PHYSICS_BOX2D_REVEAL_H_
