package cast_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// What embree.h states of Embree is what Embree's own headers state (libembree-dev).
func TestEmbreeAgainstItsHeaders(t *testing.T) {
	if _, err := os.Stat("/usr/include/embree3/rtcore.h"); err != nil {
		t.Skip("no headers of Embree 3: ", err)
	}
	checks := []string{"sizeof(pr_EmbreeRays) == sizeof(struct RTCRayHit16)", "PR_EMBREE_NONE == RTC_INVALID_GEOMETRY_ID"}
	for _, pair := range strings.Split(`PR_EMBREE_TRIANGLE RTC_GEOMETRY_TYPE_TRIANGLE
		PR_EMBREE_USER RTC_GEOMETRY_TYPE_USER
		PR_EMBREE_INSTANCE RTC_GEOMETRY_TYPE_INSTANCE
		PR_EMBREE_INDEX RTC_BUFFER_TYPE_INDEX
		PR_EMBREE_VERTEX RTC_BUFFER_TYPE_VERTEX
		PR_EMBREE_UINT3 RTC_FORMAT_UINT3
		PR_EMBREE_FLOAT3 RTC_FORMAT_FLOAT3
		PR_EMBREE_FLOAT3X4_ROWS RTC_FORMAT_FLOAT3X4_ROW_MAJOR
		PR_EMBREE_QUALITY_LOW RTC_BUILD_QUALITY_LOW
		PR_EMBREE_QUALITY_HIGH RTC_BUILD_QUALITY_HIGH
		PR_EMBREE_DYNAMIC RTC_SCENE_FLAG_DYNAMIC
		PR_EMBREE_ROBUST RTC_SCENE_FLAG_ROBUST
		PR_EMBREE_COHERENT RTC_INTERSECT_CONTEXT_FLAG_COHERENT`, "\n") {
		names := strings.Fields(pair)
		checks = append(checks, "(int)"+names[0]+" == (int)"+names[1])
	}
	fields := func(own, theirs, pairs string) {
		for _, pair := range strings.Split(pairs, ", ") {
			names := strings.Fields(pair)
			checks = append(checks, "offsetof("+own+", "+names[0]+") == offsetof("+theirs+", "+names[1]+")")
		}
	}
	fields("pr_EmbreeRays", "struct RTCRayHit16", "origin ray.org_x, near ray.tnear, direction ray.dir_x, time ray.time, "+
		"far ray.tfar, mask ray.mask, id ray.id, flags ray.flags, normal hit.Ng_x, u hit.u, v hit.v, "+
		"primitive hit.primID, geometry hit.geomID, instance hit.instID")
	fields("pr_EmbreeContext", "struct RTCIntersectContext", "flags flags, filter filter, instance instID")
	fields("pr_EmbreeBounds", "struct RTCBounds", "lower lower_x, upper upper_x")
	fields("pr_EmbreeBoundsCall", "struct RTCBoundsFunctionArguments",
		"user geometryUserPtr, primitive primID, time timeStep, bounds bounds_o")
	for _, theirs := range []string{"Intersect", "Occluded"} {
		rays := map[string]string{"Intersect": "rayhit", "Occluded": "ray"}[theirs]
		fields("pr_EmbreeRayCall", "struct RTC"+theirs+"FunctionNArguments",
			"valid valid, user geometryUserPtr, primitive primID, context context, rays "+rays+", n N, geometry geomID")
	}
	fields("pr_EmbreeFilterCall", "struct RTCFilterFunctionNArguments",
		"valid valid, user geometryUserPtr, context context, rays ray, hits hit, n N")
	source := "#include \"embree.h\"\n#include <embree3/rtcore.h>\n"
	for _, check := range checks {
		source += "_Static_assert(" + check + ", \"embree.h\");\n"
	}
	file := filepath.Join(t.TempDir(), "check.c")
	polytest.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	out, err := exec.Command("cc", "-std=c11", "-fsyntax-only", "-I.", file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
