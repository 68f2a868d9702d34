/* faults -d FOLDER -o LOG [N:WHAT[:ARG]]... -- COMMAND [ARG]...
 *
 * runs COMMAND, counts the system calls by which it changes files below FOLDER, whichever of its threads makes
 * them, and at the Nth does WHAT:
 *
 *   kill       kills it, as kill -9 does, before the call
 *   tear       writes the first half of the data, then kills it
 *   short      writes the first half, and says so
 *   enospc     fails this call and all later ones that need room, as on a full disk
 *   room       there is room again
 *   eio        fails this call
 *   eintr      fails this call, as where a signal came, if it is one that a signal may interrupt
 *   stop:MS    stops the process, and continues it after so many ms
 *   slow:MS    lets this call take so long
 *   clock:S    moves its wall clock by S seconds
 *
 * What was done is a line of JSON each in LOG, and at the end the number of calls and the exit status, which is also
 * that of this program.
 *
 * A library to preload does not do: Go calls the kernel, not libc. strace can fail calls, but it counts those of each
 * thread by themselves, and cannot write a part. So the kernel asks this program for each of the calls, by a seccomp
 * filter that notifies it. The wall clock is read without a call, in the vDSO; the program is begun without one, so
 * that it calls. Its children have the filter, too, but a vDSO as well.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { FD, PATH, PATH_AT }; /* how a call names its file: by a descriptor, a path, or a folder and a path */

static const struct call {
	const char *name;
	int number, names, writes, needs_room, interruptible; /* the last as POSIX has it */
} calls[] = {
	{"write", SYS_write, FD, 1, 1, 1},
	{"pwrite64", SYS_pwrite64, FD, 2, 1, 1},
	{"writev", SYS_writev, FD, 0, 1, 1},
	{"fsync", SYS_fsync, FD, 0, 0, 1},
	{"fdatasync", SYS_fdatasync, FD, 0, 0, 1},
	{"ftruncate", SYS_ftruncate, FD, 0, 0, 1},
	{"openat", SYS_openat, PATH_AT, 0, 1, 1}, /* with O_CREAT */
	{"mkdirat", SYS_mkdirat, PATH_AT, 0, 1, 0},
	{"unlinkat", SYS_unlinkat, PATH_AT, 0, 0, 0},
	{"renameat", SYS_renameat, PATH_AT, 0, 0, 0},
	{"renameat2", SYS_renameat2, PATH_AT, 0, 0, 0},
	{"symlinkat", SYS_symlinkat, PATH_AT, 0, 1, 0}, /* named by what it leads to: not counted where that is relative */
#ifdef SYS_rename
	{"rename", SYS_rename, PATH, 0, 0, 0},
	{"mkdir", SYS_mkdir, PATH, 0, 1, 0},
	{"unlink", SYS_unlink, PATH, 0, 0, 0},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

struct fault {
	long at;
	const char *what;
	double argument;
};

static struct fault *faults;
static int fault_count;
static const char *folder;
static FILE *out;
static pid_t child;
static int child_fd;
static double offset; /* s, of the wall clock */
static int full;
static long count;

static void die(const char *what) {
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	if (child > 0) kill(child, SIGKILL);
	exit(125);
}

static void forward(int signal) { kill(child, signal); }

/* The filter: it notifies of the calls above, and of readings of the wall clock. */
static int listen_to_calls(int clock) {
	struct sock_filter f[8 + 2 * CALLS + 8];
	int n = 0;
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < CALLS; i++) {
		if (calls[i].number == SYS_openat) continue;
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT, clock ? 4 : 2, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (clock) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	} else {
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	struct sock_fprog program = {.len = n, .filter = f};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
	/* Signals, of which Go sends itself many, must not begin a call anew: it would be counted twice. */
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
}

/* Takes the vDSO from the child, which stands at the beginning of its program. */
static void hide_vdso(void) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/auxv", child);
	int fd = open(path, O_RDONLY);
	Elf64_auxv_t all[64];
	ssize_t size = fd < 0 ? -1 : read(fd, all, sizeof all);
	if (size < 0) die(path);
	close(fd);
	/* It is on the stack, above the arguments: find it there by its contents. */
	snprintf(path, sizeof path, "/proc/%d/stat", child);
	FILE *stat = fopen(path, "r");
	char text[4096];
	if (!stat || !fgets(text, sizeof text, stat)) die(path);
	fclose(stat);
	unsigned long at = 0;
	char *rest = strrchr(text, ')') + 2;
	for (int field = 3; field <= 28 && rest; field++) { /* 28: startstack */
		char *word = strsep(&rest, " ");
		if (field == 28) at = strtoul(word, NULL, 10);
	}
	static unsigned long stack[1 << 16];
	struct iovec to = {stack, sizeof stack}, from = {(void *)at, sizeof stack};
	ssize_t got = process_vm_readv(child, &to, 1, &from, 1, 0); /* up to where the stack begins */
	if (got < 0) die("the stack");
	size_t words = got / sizeof *stack, length = size / sizeof *stack;
	for (size_t i = 0; i + 32 < words; i++) {
		if (memcmp(stack + i, all, (length < 32 ? length : 32) * sizeof *stack)) continue;
		for (size_t k = 0; k * 2 < length; k++) {
			if (all[k].a_type != AT_SYSINFO_EHDR) continue;
			if (ptrace(PTRACE_POKEDATA, child, at + (i + 2 * k) * sizeof *stack, (void *)(long)AT_IGNORE)) die("poke");
			return;
		}
	}
	errno = ESRCH;
	die("the auxiliary vector");
}

/* The path of the file that a call changes, "" for one that is none of ours. */
static void path_of(const struct seccomp_notif *q, const struct call *c, char *path, size_t size) {
	path[0] = 0;
	if (c->names == FD) {
		char link[64];
		snprintf(link, sizeof link, "/proc/%u/fd/%d", q->pid, (int)q->data.args[0]);
		ssize_t n = readlink(link, path, size - 1);
		path[n < 0 ? 0 : n] = 0;
	} else {
		struct iovec to = {path, size - 1}, from = {(void *)(uintptr_t)q->data.args[c->names == PATH_AT], 256};
		for (; from.iov_len >= 16; from.iov_len /= 2) { /* it may end before the page does */
			to.iov_len = from.iov_len;
			if (process_vm_readv(q->pid, &to, 1, &from, 1, 0) > 0) break;
		}
		path[from.iov_len >= 16 ? from.iov_len : 0] = 0;
	}
	if (strncmp(path, folder, strlen(folder))) path[0] = 0;
}

/* A copy of a descriptor of a process, of whose threads `thread` is one; -1 where that fails. */
static int copy_of(pid_t thread, int fd) {
	char path[64], line[256];
	snprintf(path, sizeof path, "/proc/%d/status", thread);
	FILE *status = fopen(path, "r");
	int group = 0, process = -1, copy = -1;
	while (status && fgets(line, sizeof line, status) && sscanf(line, "Tgid: %d", &group) != 1) {
	}
	if (status) fclose(status);
	if (group) process = syscall(SYS_pidfd_open, group, 0);
	if (process >= 0) {
		copy = syscall(SYS_pidfd_getfd, process, fd, 0);
		close(process);
	}
	return copy;
}

/* Writes the first half of what the call would write; returns its size, or -1. */
static ssize_t half(const struct seccomp_notif *q, const struct call *c) {
	size_t size = q->data.args[2] / 2;
	if (!c->writes || !size) return -1;
	int fd = copy_of(q->pid, q->data.args[0]);
	char *data = malloc(size);
	struct iovec to = {data, size}, from = {(void *)(uintptr_t)q->data.args[1], size};
	ssize_t n = -1;
	if (fd >= 0 && data && process_vm_readv(q->pid, &to, 1, &from, 1, 0) == (ssize_t)size)
		n = c->writes == 2 ? pwrite(fd, data, size, q->data.args[3]) : write(fd, data, size);
	free(data);
	if (fd >= 0) close(fd);
	return n;
}

static void pause_ms(double ms) {
	struct timespec t = {ms / 1000, (long)(ms * 1e6) % 1000000000};
	nanosleep(&t, NULL);
}

static void say(const char *what, const struct call *c, const char *path) {
	fprintf(out, "{\"n\": %ld, \"what\": \"%s\", \"call\": \"%s\", \"file\": \"%s\"}\n", count, what, c->name,
		path + strlen(folder));
	fflush(out);
}

/* Decides about a call on a file: fills the answer. */
static void decide(const struct seccomp_notif *q, const struct call *c, const char *path,
	struct seccomp_notif_resp *answer) {
	count++;
	for (int i = 0; i < fault_count; i++) {
		struct fault *f = &faults[i];
		if (f->at != count || (!strcmp(f->what, "eintr") && !c->interruptible)) continue;
		say(f->what, c, path);
		if (!strcmp(f->what, "kill") || !strcmp(f->what, "tear")) {
			if (f->what[0] == 't') half(q, c);
			kill(child, SIGKILL);
		} else if (!strcmp(f->what, "short")) {
			ssize_t n = half(q, c);
			if (n >= 0) {
				answer->val = n;
				answer->flags = 0;
				return;
			}
		} else if (!strcmp(f->what, "enospc")) {
			full = 1;
		} else if (!strcmp(f->what, "room")) {
			full = 0;
		} else if (!strcmp(f->what, "eio") || !strcmp(f->what, "eintr")) {
			answer->error = f->what[2] == 'o' ? -EIO : -EINTR;
			answer->flags = 0;
			return;
		} else if (!strcmp(f->what, "stop")) {
			kill(child, SIGSTOP);
			pause_ms(f->argument);
			kill(child, SIGCONT);
		} else if (!strcmp(f->what, "slow")) {
			pause_ms(f->argument);
		} else if (!strcmp(f->what, "clock")) {
			offset += f->argument;
		}
	}
	if (full && c->needs_room) {
		answer->error = -ENOSPC;
		answer->flags = 0;
	}
}

static void read_clock(const struct seccomp_notif *q, struct seccomp_notif_resp *answer) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += (time_t)offset;
	struct iovec from = {&now, sizeof now}, to = {(void *)(uintptr_t)q->data.args[1], sizeof now};
	answer->flags = 0;
	if (process_vm_writev(q->pid, &from, 1, &to, 1, 0) != sizeof now) answer->error = -EFAULT;
}

static void serve(int listener) {
	static char path[4096];
	struct pollfd both[] = {{listener, POLLIN, 0}, {child_fd, POLLIN, 0}};
	for (;;) {
		if (poll(both, 2, -1) < 0 && errno != EINTR) die("poll");
		if (both[0].revents & POLLIN) {
			struct seccomp_notif q = {0};
			if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &q)) continue;
			struct seccomp_notif_resp answer = {.id = q.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
			if (q.data.nr == SYS_clock_gettime) read_clock(&q, &answer);
			for (int i = 0; i < CALLS; i++) {
				if (calls[i].number != q.data.nr) continue;
				path_of(&q, &calls[i], path, sizeof path);
				if (path[0]) decide(&q, &calls[i], path, &answer);
			}
			ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer); /* fails where the process has been killed */
		} else if (both[1].revents) {
			return;
		}
	}
}

int main(int argc, char **argv) {
	int i = 1, clock = 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* and with it the child, below */
	const char *log = NULL;
	faults = calloc(argc, sizeof *faults);
	for (; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "-d") && i + 1 < argc) folder = argv[++i];
		else if (!strcmp(argv[i], "-o") && i + 1 < argc) log = argv[++i];
		else {
			struct fault *f = &faults[fault_count++];
			char *what = strchr(argv[i], ':'), *argument = what ? strchr(what + 1, ':') : NULL;
			f->at = atol(argv[i]);
			f->argument = argument ? atof(argument + 1) : 0;
			if (argument) *argument = 0;
			f->what = what ? what + 1 : "";
			clock |= !strcmp(f->what, "clock");
		}
	}
	if (!folder || !log || i + 1 >= argc) {
		fprintf(stderr, "faults: want -d FOLDER -o LOG [N:WHAT[:ARG]]... -- COMMAND\n");
		return 125;
	}
	out = fopen(log, "ae");
	if (!out) die(log);
	int *shared = mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid();
	child = fork();
	if (child < 0) die("fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) _exit(125);
		if (clock && ptrace(PTRACE_TRACEME, 0, NULL, NULL)) _exit(124);
		int fd = listen_to_calls(clock);
		*shared = fd < 0 ? -errno : fd;
		if (fd < 0) _exit(123);
		while (!((volatile int *)shared)[1]) usleep(200); /* exec closes it */
		execvp(argv[i + 1], argv + i + 1);
		_exit(122);
	}
	for (const int sent[] = {SIGINT, SIGTERM, SIGHUP}, *s = sent; s < sent + 3; s++) signal(*s, forward);
	child_fd = syscall(SYS_pidfd_open, child, 0);
	while (!*(volatile int *)shared && waitpid(child, NULL, WNOHANG) == 0) usleep(200);
	if (*shared < 0) errno = -*shared, die("seccomp");
	int listener = syscall(SYS_pidfd_getfd, child_fd, *shared, 0), status = 0;
	if (listener < 0) die("pidfd_getfd");
	shared[1] = 1;
	if (clock) {
		if (waitpid(child, &status, 0) < 0) die("waitpid");
		if (WIFSTOPPED(status)) {
			hide_vdso();
			ptrace(PTRACE_DETACH, child, NULL, NULL);
		}
	}
	serve(listener);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
	}
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	fprintf(out, "{\"calls\": %ld, \"exit\": %d}\n", count, code);
	fclose(out);
	return code;
}
