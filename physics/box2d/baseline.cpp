#include "baseline.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

#include "world.h"

struct pb_Raw_ {
  const pb_Scene* scene;
  std::vector<std::unique_ptr<World>> worlds;
  std::vector<double> controls;  // last ones of each world
  std::vector<pb_Output> outputs;
  int derived_size;
  std::vector<double> derived;  // of each world
};

pb_Raw* pb_makeRaw(const pb_Scene* scene, int worlds, const double* initial,
                   const pb_Output* derived, int nderived, int derived_size, char* message) try {
  auto r = std::make_unique<pb_Raw>();
  int nu = scene->settings.control_size;
  r->scene = scene;
  r->outputs.assign(derived, derived + nderived);
  r->derived_size = derived_size;
  r->derived.resize(size_t(worlds) * derived_size);
  Fault fault(message);
  for (int i = 0; i < worlds; i++) {
    r->worlds.push_back(std::make_unique<World>(*scene));
    if (!r->worlds.back()->Prepare(initial, &fault)) {
      return nullptr;
    }
    const double* control = initial + scene->layout.control;
    r->controls.insert(r->controls.end(), control, control + nu);
  }
  return r.release();
} catch (const std::exception& e) {
  snprintf(message, PB_MESSAGE, "%s", e.what());
  return nullptr;
}

void pb_deleteRaw(pb_Raw* r) { delete r; }

int pb_runRaw(pb_Raw* r, const double* controls, const int32_t* resets, const double* reset_rows,
              int steps, int substeps, char* message) try {
  int worlds = int(r->worlds.size());
  int nu = r->scene->settings.control_size;
  Fault fault(message);
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < worlds; i++) {
      World& world = *r->worlds[i];
      size_t at = size_t(step) * worlds + i;
      if (resets && resets[at] >= 0 &&
          !world.Prepare(reset_rows + size_t(resets[at]) * r->scene->layout.size, &fault)) {
        return 1;
      }
      if (!world.Drive(controls + at * nu, substeps, &fault)) {
        return 1;
      }
      for (const pb_Output& output : r->outputs) {
        world.Read(output, &r->derived[size_t(i) * r->derived_size + output.to]);
      }
    }
  }
  if (steps > 0 && nu > 0) {
    memcpy(r->controls.data(), controls + size_t(steps - 1) * worlds * nu,
           r->controls.size() * sizeof(double));
  }
  for (const auto& world : r->worlds) {
    if (!world->Healthy(&fault)) {
      return 1;
    }
  }
  return 0;
} catch (const std::exception& e) {
  snprintf(message, PB_MESSAGE, "%s", e.what());
  return 1;
}

void pb_readRaw(pb_Raw* r, int world, double* state, double* derived) {
  int nu = r->scene->settings.control_size;
  memcpy(state + r->scene->layout.control, r->controls.data() + size_t(world) * nu,
         nu * sizeof(double));
  if (r->derived_size) {
    memcpy(derived, &r->derived[size_t(world) * r->derived_size], r->derived_size * sizeof(double));
  }
  r->worlds[world]->StoreAll(state);
}
