// PPO of rl_tools on a MuJoCo task of Gymnasium, in one process without Python. learning.py builds it and
// says what it compares.
//
//     rl_tools MODEL learn     prints its MuJoCo, and answers each number of iterations on its input with what
//                              they took and reached, as JSON
//     rl_tools MODEL step      answers a state, positions and velocities, with its observation, and then each
//                              action with observation, reward and whether the episode is terminated
//
// The learner is rl_tools' own loop, with its own networks and optimizer; what is here is the environment, by
// the interface of rl_tools, and the settings. These are macros: SET_TASK, SET_THREADS, and those of
// learning.py, as SET_LEARNING_RATE.
#include <rl_tools/operations/cpu_mux.h>
#include <rl_tools/rl/environments/environments.h>

#include <mujoco/mujoco.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Welford's running moments.
struct Moments {
    double count = 0, mean = 0, squares = 0;

    void add(double x) {
        count++;
        double off = x - mean;
        mean += off / count;
        squares += off * (x - mean);
    }
    double deviation() const { return count > 1 ? std::sqrt(squares / count + 1e-8) : 1; }
};

// HalfCheetah-v5 of Gymnasium: it sees all but the first position, and is rewarded for speed.
struct HalfCheetah {
    static constexpr int OBSERVED = 17, ACTIONS = 6, FRAMES = 5, HIDDEN_POSITIONS = 1;
    static constexpr double NOISE = 0.1;
    static constexpr bool NORMAL = true; // the noise of velocities

    static double reward(const mjModel *m, const mjData *d, double before, bool) {
        double cost = 0;
        for (int i = 0; i < ACTIONS; i++) cost += d->ctrl[i] * d->ctrl[i];
        return (d->qpos[0] - before) / (m->opt.timestep * FRAMES) - 0.1 * cost;
    }
    static bool terminated(const mjData *) { return false; }
};

// InvertedPendulum-v5 of Gymnasium: an episode ends when the pole leans by more than 0.2 rad.
struct InvertedPendulum {
    static constexpr int OBSERVED = 4, ACTIONS = 1, FRAMES = 2, HIDDEN_POSITIONS = 0;
    static constexpr double NOISE = 0.01;
    static constexpr bool NORMAL = false;

    static double reward(const mjModel *, const mjData *, double, bool terminated) { return terminated ? 0 : 1; }
    static bool terminated(const mjData *d) { return !(std::abs(d->qpos[1]) <= 0.2); }
};

using Task = SET_TASK;
constexpr int EPISODE = 1000; // steps at most

// What worlds tell beside rl_tools, which has no place for it. Threads step worlds at the same time, but
// observe and reset them one after the other; only then is this written.
struct Told {
    Moments discounted;          // of the rewards of each world: rewards are divided by their deviation
    std::vector<double> returns; // of episodes that ended, as the task rewards
    double observed = 0;         // when a world was observed last
};

Told told;
mjModel *model;

struct World {
    mjData *data;
    double total, discounted, reward; // of the episode so far; of the last step
    int steps;
    bool terminated;

    void reset() {
        if (terminated || steps == EPISODE) told.returns.push_back(total); // the first rollout is cut short
        mj_resetData(model, data);
        total = discounted = reward = 0;
        steps = 0;
        terminated = false;
    }
    // Actions are cut to what the motors can do, as by the other learners.
    template <typename Action>
    void step(Action action) {
        double before = data->qpos[0];
        for (int i = 0; i < Task::ACTIONS; i++) {
            const mjtNum *range = model->actuator_ctrlrange + 2 * i;
            data->ctrl[i] = std::min(std::max(double(action(i)), range[0]), range[1]);
        }
        for (int i = 0; i < Task::FRAMES; i++) mj_step(model, data);
        terminated = Task::terminated(data);
        reward = Task::reward(model, data, before, terminated);
        total += reward;
        discounted = SET_GAMMA * discounted + reward;
        steps++;
    }
    double observation(int i) const {
        i += Task::HIDDEN_POSITIONS;
        return i < model->nq ? data->qpos[i] : data->qvel[i - model->nq];
    }
};

} // namespace

// The environment, as rl_tools/rl/environments/mujoco/ant is one: MuJoCo's data holds the state.
namespace rl_tools::gymnasium {

struct State {};
struct Observation {
    static constexpr size_t DIM = Task::OBSERVED;
};
struct Environment : rl::environments::Environment<float, size_t> {
    using T = float;
    using TI = size_t;
    using State = gymnasium::State;
    using Parameters = gymnasium::State;
    using Observation = gymnasium::Observation;
    using ObservationPrivileged = Observation;
    static constexpr TI ACTION_DIM = Task::ACTIONS, EPISODE_STEP_LIMIT = EPISODE;
    World *world;
};

template <typename DEVICE>
void malloc(DEVICE &, Environment &env) {
    env.world = new World{};
    env.world->data = mj_makeData(model);
}
template <typename DEVICE>
void free(DEVICE &, Environment &env) {
    mj_deleteData(env.world->data);
    delete env.world;
}
template <typename DEVICE>
void init(DEVICE &, Environment &) {}
template <typename DEVICE, typename RNG>
void sample_initial_parameters(DEVICE &, const Environment &, State &, RNG &) {}

template <typename DEVICE, typename RNG>
void sample_initial_state(DEVICE &device, const Environment &env, State &, State &, RNG &rng) {
    env.world->reset();
    mjData *d = env.world->data;
    auto uniform = [&] { return random::uniform_real_distribution(device.random, -Task::NOISE, Task::NOISE, rng); };
    for (int i = 0; i < model->nq; i++) d->qpos[i] += uniform();
    for (int i = 0; i < model->nv; i++) {
        auto normal = [&] { return random::normal_distribution::sample(device.random, 0., Task::NOISE, rng); };
        d->qvel[i] += Task::NORMAL ? normal() : uniform();
    }
    mj_forward(model, d);
}
template <typename DEVICE, typename ACTION, typename RNG>
float step(DEVICE &, const Environment &env, State &, const State &, const Matrix<ACTION> &action, State &, RNG &) {
    env.world->step([&](int i) { return get(action, 0, i); });
    return model->opt.timestep * Task::FRAMES;
}
template <typename DEVICE, typename ACTION, typename RNG>
float reward(DEVICE &, const Environment &env, State &, const State &, const Matrix<ACTION> &, const State &, RNG &) {
    return std::min(std::max(env.world->reward / told.discounted.deviation(), -10.), 10.);
}
template <typename DEVICE, typename RNG>
bool terminated(DEVICE &, const Environment &env, State &, const State &, RNG &) {
    return env.world->terminated;
}
template <typename DEVICE, typename SEEN, typename RNG>
void observe(DEVICE &, const Environment &env, const State &, const State &, const Observation &, Matrix<SEEN> &seen,
             RNG &) {
    for (int i = 0; i < Task::OBSERVED; i++) set(seen, 0, i, env.world->observation(i));
    if (env.world->steps > 0) told.discounted.add(env.world->discounted);
    told.observed = now();
}

} // namespace rl_tools::gymnasium

#include <rl_tools/nn/optimizers/adam/instance/operations_generic.h>
#include <rl_tools/nn/operations_cpu_mux.h>
#include <rl_tools/nn/layers/standardize/operations_generic.h>
#include <rl_tools/nn_models/mlp_unconditional_stddev/operations_generic.h>
#include <rl_tools/nn_models/sequential/operations_generic.h>
#include <rl_tools/nn/optimizers/adam/operations_generic.h>

// Threads step worlds, as with rl_tools' own device for MKL.
#define RL_TOOLS_RL_COMPONENTS_ON_POLICY_RUNNER_OPERATIONS_CPU_DELAY_OPERATIONS_GENERIC_INCLUDE
#include <rl_tools/rl/components/on_policy_runner/operations_cpu.h>
namespace rl_tools::rl::components::on_policy_runner {
template <typename SPEC, typename DATA, typename MEAN, typename ACTION, typename LOG_STD, typename RNG>
void epilogue(devices::CPU_OPENBLAS<SPEC> &device, Dataset<DATA> &dataset, OnPolicyRunner<typename DATA::SPEC> &runner,
              Matrix<MEAN> &mean, Matrix<ACTION> &actions, Matrix<LOG_STD> &log_std, RNG &rng, size_t step) {
    epilogue(static_cast<devices::CPU<SPEC> &>(device), dataset, runner, mean, actions, log_std, rng, step);
}
} // namespace rl_tools::rl::components::on_policy_runner

#include <rl_tools/rl/algorithms/ppo/loop/core/config.h>
#include <rl_tools/rl/algorithms/ppo/loop/core/operations_generic.h>

namespace rlt = rl_tools;

// The device is rl_tools' for this build, with the threads that step worlds.
struct DeviceSpecification : rlt::devices::DefaultCPUSpecification {
    using EXECUTION_HINTS = rlt::rl::components::on_policy_runner::ExecutionHints<size_t, SET_THREADS>;
};
using Device = rlt::devices::DEVICE_FACTORY<DeviceSpecification>;
using Random = Device::SPEC::RANDOM::ENGINE<>;
using Numbers = rlt::numeric_types::Policy<float>;
using Environment = rlt::gymnasium::Environment;

struct Settings : rlt::rl::algorithms::ppo::loop::core::DefaultParameters<Numbers, size_t, Environment> {
    static constexpr size_t STEP_LIMIT = ~size_t(0), EPISODE_STEP_LIMIT = Environment::EPISODE_STEP_LIMIT;
    static constexpr size_t ACTOR_HIDDEN_DIM = SET_HIDDEN, CRITIC_HIDDEN_DIM = SET_HIDDEN;
    static constexpr auto ACTOR_ACTIVATION_FUNCTION = rlt::nn::activation_functions::ActivationFunction::TANH;
    static constexpr auto CRITIC_ACTIVATION_FUNCTION = ACTOR_ACTIVATION_FUNCTION;
    static constexpr size_t N_ENVIRONMENTS = SET_WORLDS, ON_POLICY_RUNNER_STEPS_PER_ENV = SET_SEGMENT;
    static constexpr size_t BATCH_SIZE = SET_MINIBATCH;
    static constexpr size_t DATASET_SIZE = SET_WORLDS * SET_SEGMENT;
    static constexpr bool NORMALIZE_OBSERVATIONS = true, NORMALIZE_OBSERVATIONS_CONTINUOUSLY = true;
    struct PPO_PARAMETERS : rlt::rl::algorithms::ppo::DefaultParameters<Numbers, size_t, SET_MINIBATCH> {
        static constexpr float INITIAL_ACTION_STD = SET_INITIAL_STD, ACTION_ENTROPY_COEFFICIENT = 0;
        static constexpr float EPSILON_CLIP = SET_CLIP;
        static constexpr float GAMMA = SET_GAMMA, LAMBDA = SET_LAMBDA;
        static constexpr size_t N_EPOCHS = SET_EPOCHS;
    };
    struct OPTIMIZER_PARAMETERS : rlt::nn::optimizers::adam::DEFAULT_PARAMETERS_PYTORCH<Numbers> {
        static constexpr float ALPHA = SET_LEARNING_RATE;
    };
};
using Loop = rlt::rl::algorithms::ppo::loop::core::Config<Numbers, size_t, Random, Environment, Settings>;

static void learn() {
    std::cout.rdbuf(std::cerr.rdbuf()); // what the loop prints is no result
    static Device device;
    static Loop::State<Loop> loop;
    rlt::malloc(device, loop);
    rlt::init(device, loop, 1);
    std::printf("\"MuJoCo %s\"\n", mj_versionString());
    std::fflush(stdout);
    for (int iterations; std::scanf("%d", &iterations) == 1;) {
        double rollout = 0, update = 0;
        for (int i = 0; i < iterations; i++) {
            double begin = now();
            rlt::step(device, loop);
            rollout += told.observed - begin; // a rollout ends with the observation after it
            update += now() - told.observed;
        }
        std::printf("{\"rollout\": %.9g, \"update\": %.9g, \"returns\": [", rollout, update);
        for (size_t i = 0; i < told.returns.size(); i++) std::printf("%s%.9g", i ? ", " : "", told.returns[i]);
        std::printf("]}\n");
        std::fflush(stdout);
        told.returns.clear();
    }
}

static void step() {
    World world{};
    world.data = mj_makeData(model);
    world.reset();
    auto read = [](double *to) { return std::scanf("%lf", to) == 1; };
    for (int i = 0; i < model->nq; i++) read(world.data->qpos + i);
    for (int i = 0; i < model->nv; i++) read(world.data->qvel + i);
    mj_forward(model, world.data);
    double action[Task::ACTIONS];
    for (bool more = true; more;) {
        for (int i = 0; i < Task::OBSERVED; i++) std::printf("%.17g ", world.observation(i));
        std::printf("%.17g %d\n", world.reward, world.terminated);
        for (double &a : action) more = read(&a) && more;
        if (more) world.step([&](int i) { return action[i]; });
    }
    mj_deleteData(world.data);
}

int main(int count, char **words) {
    char why[1000] = "";
    std::string mode = count == 3 ? words[2] : "";
    if (mode != "learn" && mode != "step") {
        std::fprintf(stderr, "usage: %s MODEL learn|step\n", words[0]);
        return 2;
    }
    model = mj_loadXML(words[1], nullptr, why, sizeof why);
    if (!model) {
        std::fprintf(stderr, "%s: %s\n", words[1], why);
        return 1;
    }
    mode == "learn" ? learn() : step();
    mj_deleteModel(model);
    return 0;
}
