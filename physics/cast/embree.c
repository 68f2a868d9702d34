#include "embree.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char LIBRARY[] = "libembree3.so.3";

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pr_Embree embree;
static char missing[256];  // why it could not be opened

static void load(void) {
  const struct {
    const char* name;
    void* to;
  } functions[] = {
      {"rtcNewDevice", &embree.newDevice},
      {"rtcReleaseDevice", &embree.releaseDevice},
      {"rtcGetDeviceError", &embree.deviceError},
      {"rtcGetDeviceProperty", &embree.deviceProperty},
      {"rtcNewScene", &embree.newScene},
      {"rtcReleaseScene", &embree.releaseScene},
      {"rtcCommitScene", &embree.commitScene},
      {"rtcSetSceneFlags", &embree.setFlags},
      {"rtcSetSceneBuildQuality", &embree.setQuality},
      {"rtcAttachGeometryByID", &embree.attach},
      {"rtcNewGeometry", &embree.newGeometry},
      {"rtcReleaseGeometry", &embree.releaseGeometry},
      {"rtcCommitGeometry", &embree.commitGeometry},
      {"rtcSetNewGeometryBuffer", &embree.newBuffer},
      {"rtcUpdateGeometryBuffer", &embree.updateBuffer},
      {"rtcSetGeometryIntersectFilterFunction", &embree.setFilter},
      {"rtcSetGeometryUserData", &embree.setUser},
      {"rtcSetGeometryUserPrimitiveCount", &embree.setPrimitives},
      {"rtcSetGeometryBoundsFunction", &embree.setBounds},
      {"rtcSetGeometryIntersectFunction", &embree.setIntersect},
      {"rtcSetGeometryOccludedFunction", &embree.setOccluded},
      {"rtcSetGeometryInstancedScene", &embree.setInstanced},
      {"rtcSetGeometryTransform", &embree.setTransform},
      {"rtcIntersect16", &embree.intersect16},
      {"rtcOccluded16", &embree.occluded16},
  };
  void* library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(missing, sizeof missing, "pictures need Embree 3, and there is no %s: install Debian's libembree3-3",
             LIBRARY);
    return;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void* at = dlsym(library, functions[i].name);
    memcpy(functions[i].to, &at, sizeof at);
    if (!at) {
      snprintf(missing, sizeof missing, "%s has no function %s, want that of Embree 3.13", LIBRARY, functions[i].name);
      return;
    }
  }
}

const pr_Embree* pr_openEmbree(char* message, int size) {
  pthread_once(&once, load);
  if (missing[0]) {
    snprintf(message, size, "%s", missing);
    return NULL;
  }
  return &embree;
}
