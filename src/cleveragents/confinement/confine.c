/* Confines itself act by act, as it is ordered, and becomes the command.
 *
 *     confine.compiled ORDERS ANSWERS
 *
 * Both are descriptors. In the file ORDERS stand the acts, each word with its end; the last one is
 * `run`, and what follows is the command. What fails is told in ANSWERS, in one line, and nothing
 * is run; silence means that it runs. What confine.py does in Python, in a tenth of the time;
 * scripts/setup and hatch_build.py compile it where there is a compiler.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Numbers that are the same on every machine, and that older or other headers lack. */
#ifndef W_EXITCODE
#define W_EXITCODE(code, number) ((code) << 8 | (number))
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_add_rule
#define SYS_landlock_add_rule 445
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

enum { FAILED = 125, STARTS = -1 }; /* what begins is no status that a process can end with */

static char *doing = "", *about = ""; /* the act, and what it is done to */
static int answers;
static int stand_in = -1; /* in process 1: the line to its stand-in */
static int ruleset = -1;  /* what is to be refused, while it is being told */
static struct sigaction as_found; /* how the end of a child was taken when this was started */

/* A part of a line: a name may hold the end of one. */
static struct iovec part(char *text)
{
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = '?';
    return (struct iovec){text, strlen(text)};
}

/* Tells why it goes no further, and ends. Of what has begun nothing stays behind. */
static _Noreturn void fail(int number)
{
    char told[16];
    snprintf(told, sizeof told, "%d", number);
    struct iovec line[] = {part(told), {" ", 1}, part(doing), {" ", 1}, part(about), {"\n", 1}};
    int status = W_EXITCODE(FAILED, 0);
    signal(SIGPIPE, SIG_IGN); /* whether or not anybody reads */
    ssize_t written = writev(answers, line, sizeof line / sizeof *line);
    (void)written;
    if (stand_in >= 0)
        send(stand_in, &status, sizeof status, MSG_NOSIGNAL);
    _exit(FAILED);
}

/* Fails by an error that no call has set. */
static int refuse(int number)
{
    errno = number;
    return -1;
}

static int number(const char *text, uint64_t *found)
{
    if (!*text || text[strspn(text, "0123456789")])
        return refuse(EINVAL);
    errno = 0;
    *found = strtoull(text, NULL, 10);
    return errno ? -1 : 0;
}

/* Closes a descriptor, and hands on how something ended, with its error. */
static int closed(int fd, int done)
{
    int found = errno;
    close(fd);
    return done < 0 ? refuse(found) : 0;
}

/* Writes a text at once, as the files of the kernel want it. */
static int put_in(int folder, const char *path, const char *text)
{
    int fd = openat(folder, path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? -1 : closed(fd, write(fd, text, strlen(text)) < 0 ? -1 : 0);
}

static int put(const char *path, const char *text)
{
    return put_in(AT_FDCWD, path, text);
}

/* --- users ------------------------------------------------------------------------------------ */

/* As <linux/capability.h> has it, which not every C library comes with. */
enum { CAPABILITIES = 0x20080522, SETGID = 6, SETUID = 7 };

struct header {
    uint32_t version;
    int process;
};

struct rights {
    uint32_t effective, permitted, inheritable;
};

/* Maps each id that we have onto itself for the process that has made a namespace, found by its
 * entry in /proc: that may be another's, where its number for us is not the one we have for it. */
static int map_all(const char *ids, int process)
{
    char path[64], text[4096]; /* the kernel takes less than a page */
    size_t used = 0;
    unsigned first, count;
    snprintf(path, sizeof path, "/proc/self/%s", ids);
    FILE *ours = fopen(path, "re");
    if (!ours)
        return -1;
    while (fscanf(ours, "%u %*u %u", &first, &count) == 2 && used < sizeof text)
        used += (size_t)snprintf(text + used, sizeof text - used, "%u %u %u\n", first, first,
                                 count);
    fclose(ours);
    if (used >= sizeof text)
        return refuse(E2BIG);
    return put_in(process, ids, text);
}

/* Only from outside can more than one id be mapped; the helper ends with the error as its code. */
static _Noreturn void help(int wait, int process)
{
    char go;
    if (read(wait, &go, 1) == 1 && (map_all("uid_map", process) || map_all("gid_map", process)))
        _exit(errno);
    _exit(0);
}

static int enter_with_all_ids(int flags)
{
    int ends[2], ended = 0, ours = open("/proc/self", O_PATH | O_CLOEXEC);
    if (ours < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return closed(ours, -1);
    pid_t helper = fork();
    if (helper == 0) {
        close(ends[1]); /* so that it ends with us, whatever happens */
        help(ends[0], ours);
    }
    int problem = helper < 0 || unshare(flags) < 0 || write(ends[1], "", 1) < 0 ? errno : 0;
    close(ends[0]);
    close(ends[1]);
    close(ours);
    if (helper > 0)
        waitpid(helper, &ended, 0);
    if (!problem && ended)
        problem = WIFEXITED(ended) ? WEXITSTATUS(ended) : EINTR;
    return problem ? refuse(problem) : 0;
}

static int enter_with_own_ids(int flags)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1\n", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1\n", getegid(), getegid());
    if (unshare(flags) < 0 || put("/proc/self/setgroups", "deny") < 0)
        return -1;
    return put("/proc/self/uid_map", users) < 0 ? -1 : put("/proc/self/gid_map", groups);
}

static int enter(char **arguments)
{
    uint64_t flags;
    struct header header = {CAPABILITIES, 0};
    struct rights ours[2];
    const uint32_t needed = 1U << SETUID | 1U << SETGID;
    if (number(arguments[0], &flags) < 0 || syscall(SYS_capget, &header, ours) < 0)
        return -1;
    if (flags > INT_MAX)
        return refuse(EINVAL);
    bool maps_all = (ours[0].effective & needed) == needed;
    return maps_all ? enter_with_all_ids((int)flags) : enter_with_own_ids((int)flags);
}

/* --- mounts ----------------------------------------------------------------------------------- */

/* What is told of a mount; as <linux/mount.h> has it, which older machines do not. */
struct change {
    uint64_t set, clear, propagation, user_namespace;
};

enum { READ_ONLY = 1 };

static int change(const char *path, unsigned flags, struct change change)
{
    return (int)syscall(SYS_mount_setattr, AT_FDCWD, path, flags, &change, sizeof change);
}

static int bind_to(const char *source, const char *target)
{
    return mount(source, target, NULL, MS_BIND | MS_REC, NULL);
}

static int private(char **arguments)
{
    (void)arguments;
    return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
}

static int write_to(char **arguments)
{
    return put(arguments[0], arguments[1]);
}

static int itself(char **arguments)
{
    return bind_to(arguments[0], arguments[0]);
}

static int read_only(char **arguments)
{
    /* What is mounted there from now on would be writable, and does not come in. */
    return change(arguments[0], AT_RECURSIVE,
                  (struct change){.set = READ_ONLY, .propagation = MS_PRIVATE});
}

static int unlock(char **arguments)
{
    return change(arguments[0], 0, (struct change){.clear = READ_ONLY});
}

static int writable(char **arguments)
{
    if (bind_to(arguments[0], arguments[0]) < 0)
        return -1;
    int done = change(arguments[0], AT_RECURSIVE, (struct change){.clear = READ_ONLY});
    /* Something mounted below may be locked; that stays as it is. */
    return done < 0 && errno == EPERM ? unlock(arguments) : done;
}

static int place(char **arguments)
{
    return bind_to(arguments[0], arguments[1]);
}

static int empty(char **arguments)
{
    const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    int done = mount("tmpfs", arguments[0], "tmpfs", flags, "mode=0");
    return done < 0 && (errno == ENOENT || errno == ENOTDIR) ? 0 : done;
}

/* Puts a file over another that nobody but root can read, and nobody can write to. Not a device:
 * what is written to one is taken, and lost. */
static int conceal(char **arguments)
{
    int made = open(arguments[1], O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (made < 0 || close(made) < 0)
        return -1;
    int done = bind_to(arguments[1], arguments[0]);
    if (done == 0)
        done = read_only(arguments);
    else if (errno == ENOENT) /* what does not exist shows nothing */
        done = 0;
    return done < 0 ? done : unlink(arguments[1]);
}

enum { MOST_KEPT = 64 };
static struct {
    int fd;
    char *path;
} kept[MOST_KEPT];
static int many_kept = 0;

/* Keeps a place in sight, whatever is put over one that it lies in. */
static int keep(char **arguments)
{
    if (many_kept == MOST_KEPT)
        return refuse(E2BIG);
    int fd = open(arguments[0], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    kept[many_kept].fd = fd;
    kept[many_kept++].path = arguments[0];
    return 0;
}

/* Makes the directories above a place that is to be mounted at, and the place itself. */
static int make_place(int like, char *path)
{
    struct stat found;
    if (access(path, F_OK) == 0)
        return 0;
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        int done = mkdir(path, 0755);
        *at = '/';
        if (done < 0 && errno != EEXIST)
            return -1;
    }
    if (fstat(like, &found) < 0)
        return -1;
    if (S_ISDIR(found.st_mode))
        return mkdir(path, 0755);
    int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return made < 0 ? -1 : close(made);
}

/* Lets nothing be seen of a directory but what is kept of it. */
static int cover(char **arguments)
{
    char source[64];
    if (mount("tmpfs", arguments[0], "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
        return -1;
    for (int at = 0; at < many_kept; at++) {
        snprintf(source, sizeof source, "/proc/self/fd/%d", kept[at].fd);
        if (make_place(kept[at].fd, kept[at].path) < 0 ||
            closed(kept[at].fd, bind_to(source, kept[at].path)) < 0)
            return -1;
    }
    many_kept = 0;
    return change(arguments[0], 0, (struct change){.set = READ_ONLY});
}

/* Makes a directory in another, like a third, and opens it. */
static int made_like(int like, int folder, const char *name)
{
    struct stat found;
    if (fstat(like, &found) < 0 || mkdirat(folder, name, found.st_mode & 07777) < 0)
        return -1;
    return openat(folder, name, O_PATH | O_CLOEXEC);
}

/* Lets a directory be changed while it stays as it is: what is changed lies in a space. Where the
 * kernel or the file system has no such thing it can be read, as before. */
static int layer(char **arguments)
{
    char options[128];
    int lower = open(arguments[0], O_PATH | O_CLOEXEC);
    if (lower < 0 || mkdir(arguments[1], 0700) < 0)
        return -1;
    int space = open(arguments[1], O_PATH | O_CLOEXEC);
    int upper = made_like(lower, space, "upper"), work = made_like(lower, space, "work");
    if (space < 0 || upper < 0 || work < 0)
        return -1;
    /* By descriptors: in options, names would need to be quoted. */
    snprintf(options, sizeof options,
             "lowerdir=/proc/self/fd/%d,upperdir=/proc/self/fd/%d,workdir=/proc/self/fd/%d,userxattr",
             lower, upper, work);
    int done = mount("overlay", arguments[0], "overlay", MS_NOSUID | MS_NODEV, options);
    if (done < 0 && (errno == EINVAL || errno == ENODEV || errno == EPERM))
        done = 0;
    return closed(lower, closed(space, closed(upper, closed(work, done))));
}

static int proc(char **arguments)
{
    (void)arguments;
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* --- devices ---------------------------------------------------------------------------------- */

static const char *const DEVICES[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                      "/dev/random", "/dev/urandom", "/dev/tty"};
enum { COUNT = sizeof DEVICES / sizeof *DEVICES };

static const char *const LINKS[][2] = {{"/proc/self/fd", "/dev/fd"},
                                       {"/proc/self/fd/0", "/dev/stdin"},
                                       {"/proc/self/fd/1", "/dev/stdout"},
                                       {"/proc/self/fd/2", "/dev/stderr"}};

/* Holds what is about to be covered; what there is none of is -1, and left out. */
static int hold(const char *path, int *held)
{
    *held = open(path, O_PATH | O_CLOEXEC);
    return *held < 0 && errno != ENOENT ? -1 : 0;
}

/* Binds what is held to a new place, and lets it go. */
static int bring_back(int held, const char *path)
{
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", held);
    return closed(held, bind_to(source, path));
}

static int bring_devices(const int *held)
{
    for (int at = 0; at < COUNT; at++) {
        if (held[at] < 0)
            continue;
        int made = open(DEVICES[at], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (made < 0 || close(made) < 0 || bring_back(held[at], DEVICES[at]) < 0)
            return -1;
    }
    for (size_t at = 0; at < sizeof LINKS / sizeof *LINKS; at++)
        if (symlink(LINKS[at][0], LINKS[at][1]) < 0)
            return -1;
    return 0;
}

static int bring_terminals(void)
{
    if (mkdir("/dev/pts", 0755) < 0 || mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
                                             "newinstance,ptmxmode=0666,mode=0620") < 0)
        return -1;
    return symlink("pts/ptmx", "/dev/ptmx");
}

static int bring_memory(int shared)
{
    if (mkdir("/dev/shm", 0755) < 0)
        return -1;
    return shared >= 0 ? bring_back(shared, "/dev/shm")
                       : mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

static int devices(char **arguments)
{
    int held[COUNT], shared = -1;
    bool own = !strcmp(arguments[0], "own"), terminals = access("/dev/pts", F_OK) == 0;
    if (!own && strcmp(arguments[0], "shared"))
        return refuse(EINVAL);
    for (int at = 0; at < COUNT; at++)
        if (hold(DEVICES[at], held + at) < 0)
            return -1;
    if (!own && hold("/dev/shm", &shared) < 0)
        return -1;
    if (mount("tmpfs", "/dev", "tmpfs", MS_NOSUID, "mode=0755") < 0 || bring_devices(held) < 0 ||
        (terminals && bring_terminals() < 0))
        return -1;
    return own || shared >= 0 ? bring_memory(shared) : 0;
}

/* --- processes -------------------------------------------------------------------------------- */

/* Gives a descriptor a number, and closes all that are above it. */
static void keep_only(int fd, int number)
{
    if (fd != number)
        dup2(fd, number);
    syscall(SYS_close_range, number + 1, ~0U, 0);
}

static _Noreturn void end_like(int status)
{
    if (WIFSIGNALED(status)) {
        sigset_t its;
        sigemptyset(&its);
        sigaddset(&its, WTERMSIG(status));
        /* The image in memory is not the command's. Where a program takes such images, a limit of
         * 0 does not keep it from this one. */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        signal(WTERMSIG(status), SIG_DFL);
        sigprocmask(SIG_UNBLOCK, &its, NULL);
        kill(getpid(), WTERMSIG(status));
        _exit(128 + WTERMSIG(status)); /* process 1 of a container does not die of its own signal */
    }
    _exit(WEXITSTATUS(status));
}

/* Waits outside in the command's place, and ends as it did: process 1 could not die of a signal. */
static _Noreturn void stand_outside(int line, pid_t process_1)
{
    int status;
    keep_only(line, STDERR_FILENO + 1);
    line = STDERR_FILENO + 1;
    for (;;) {
        ssize_t got = recv(line, &status, sizeof status, 0);
        if (got < 0) /* an answer of ours was not read; more may follow */
            continue;
        if (got != sizeof status)
            status = SIGKILL; /* it ended untold */
        if (status != STARTS)
            break;
        /* From here on a signal to the whole group is for the command, which may take its time. */
        for (int number = 1; number < NSIG; number++)
            if (number != SIGCHLD) /* else nobody would be told what time the command took */
                signal(number, SIG_IGN);
        send(line, &status, sizeof status, MSG_NOSIGNAL);
    }
    waitpid(process_1, NULL, 0); /* with it every process in there has ended */
    end_like(status);
}

static int processes(char **arguments)
{
    int line[2];
    (void)arguments;
    if (syscall(SYS_close_range, ~0U, ~0U, 0) < 0) /* later nobody could be told that it fails */
        return -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
        return -1;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0)
        stand_outside(line[1], child);
    close(line[1]);
    stand_in = line[0];
    if (getpid() != 1) /* who it leaves behind would live on */
        return refuse(EINVAL);
    /* Should the stand-in be gone already, nobody answers when the command is to start. */
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

/* Reaps whatever ends in there, and ends with the command, by which the kernel ends the rest. */
static _Noreturn void reap(pid_t command)
{
    int status;
    keep_only(stand_in, STDIN_FILENO); /* ANSWERS is to be closed as the command starts */
    while (wait(&status) != command)
        continue;
    send(STDIN_FILENO, &status, sizeof status, MSG_NOSIGNAL);
    _exit(0);
}

/* Goes on as the command, while process 1 stays to reap. The command itself says that it starts: so
 * a signal to the group finds somebody at any time, and is never lost on two that ignore it.
 */
static int begin(void)
{
    int status = STARTS;
    /* Set once more: a change of rights may have taken it away. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return -1;
    pid_t command = fork();
    if (command < 0)
        return -1;
    if (command > 0)
        reap(command);
    if (send(stand_in, &status, sizeof status, MSG_NOSIGNAL) < 0 ||
        recv(stand_in, &status, sizeof status, 0) != sizeof status)
        _exit(FAILED); /* the stand-in is dead */
    stand_in = -1;     /* how this ends is for process 1 to tell */
    return 0;
}

/* --- rights ----------------------------------------------------------------------------------- */

static int loopback(char **arguments)
{
    struct ifreq lo = {.ifr_name = "lo"};
    (void)arguments;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &lo) < 0)
        return -1;
    lo.ifr_flags |= IFF_UP;
    return ioctl(fd, SIOCSIFFLAGS, &lo) < 0 ? -1 : close(fd);
}

static int capabilities(char **arguments)
{
    uint64_t mask;
    struct header header = {CAPABILITIES, 0};
    struct rights ours[2];
    if (number(arguments[0], &mask) < 0 || syscall(SYS_capget, &header, ours) < 0)
        return -1;
    /* First: to drop these takes a right that may go below. */
    for (int at = 0, bounds; (bounds = prctl(PR_CAPBSET_READ, at, 0, 0, 0)) >= 0; at++)
        if (bounds && !(mask >> at & 1) && prctl(PR_CAPBSET_DROP, at, 0, 0, 0) < 0)
            return -1;
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        return -1;
    for (int half = 0; half < 2; half++) {
        ours[half].effective &= (uint32_t)(mask >> 32 * half);
        ours[half].permitted &= (uint32_t)(mask >> 32 * half);
        ours[half].inheritable = 0;
    }
    return (int)syscall(SYS_capset, &header, ours);
}

/* Leaves the keys of the session behind, which whoever is in it may read. Where the kernel has none
 * or keeps them from us there are none to leave. */
static int keyring(char **arguments)
{
    (void)arguments;
    long joined = syscall(SYS_keyctl, 1 /* join a new session keyring */, NULL);
    return joined < 0 && errno != ENOSYS && errno != EPERM ? -1 : 0;
}

static int no_new_privileges(char **arguments)
{
    (void)arguments;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* A kernel without scopes takes the size where there are none, and refuses it where there are. */
static int new_ruleset(uint64_t files, uint64_t scoped)
{
    struct {
        uint64_t files, network, scoped;
    } rules = {.files = files, .scoped = scoped};
    return (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
}

static int enforce(int rules)
{
    return closed(rules, (int)syscall(SYS_landlock_restrict_self, rules, 0));
}

static int scope(char **arguments)
{
    (void)arguments;
    /* No rule for files, so that mounts stay possible. */
    int rules = new_ruleset(0, 1 /* abstract sockets */ | 2 /* signals */);
    return rules < 0 ? -1 : enforce(rules);
}

/* Begins to tell what is refused: those rights on files, save what is allowed, and those scopes. */
static int begin_ruleset(char **arguments)
{
    uint64_t files, scoped;
    if (number(arguments[0], &files) < 0 || number(arguments[1], &scoped) < 0)
        return -1;
    if (ruleset >= 0) /* it would be lost */
        return refuse(EINVAL);
    ruleset = new_ruleset(files, scoped);
    return ruleset < 0 ? -1 : 0;
}

/* Of rights on a directory those that what is no directory can be given as well: to execute, write
 * and read it, to cut it off, and to control a device. */
static const uint64_t OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15;

static int allow_opened(int fd, uint64_t rights)
{
    struct stat found;
    if (fstat(fd, &found) < 0)
        return -1;
    if (!S_ISDIR(found.st_mode))
        rights &= OF_FILES;
    if (S_ISLNK(found.st_mode) || !rights) /* a link would be allowed, not what it leads to */
        return 0;
    struct {
        uint64_t rights;
        int32_t beneath;
    } __attribute__((packed)) rule = {rights, fd};
    return (int)syscall(SYS_landlock_add_rule, ruleset, 1 /* path beneath */, &rule, 0);
}

static int allow(char **arguments)
{
    uint64_t rights;
    if (number(arguments[1], &rights) < 0)
        return -1;
    int fd = open(arguments[0], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) /* what cannot be reached stays refused */
        return errno == ENOENT || errno == EACCES || errno == ELOOP || errno == ENOTDIR ? 0 : -1;
    return closed(fd, allow_opened(fd, rights));
}

static int restrict_self(char **arguments)
{
    int rules = ruleset;
    (void)arguments;
    ruleset = -1;
    return enforce(rules);
}

static int limit(char **arguments)
{
    uint64_t resource, most, bound;
    struct rlimit now;
    if (number(arguments[0], &resource) < 0 || number(arguments[1], &most) < 0 ||
        number(arguments[2], &bound) < 0 || getrlimit((int)resource, &now) < 0)
        return -1;
    if (bound < now.rlim_max)
        now.rlim_max = bound;
    now.rlim_cur = most < now.rlim_max ? most : now.rlim_max;
    return setrlimit((int)resource, &now);
}

/* Joins the group that a descriptor leads to, with all that it starts from now on. */
static int join(char **arguments)
{
    uint64_t fd;
    if (number(arguments[0], &fd) < 0)
        return -1;
    return closed((int)fd, write((int)fd, "0", 1) < 0 ? -1 : 0);
}

static int directory(char **arguments)
{
    return chdir(arguments[0]);
}

static int run(char **command)
{
    if (stand_in >= 0 && begin() < 0)
        return -1;
    sigaction(SIGCHLD, &as_found, NULL);
    return execvp(command[0], command);
}

/* --- orders ----------------------------------------------------------------------------------- */

static const struct act {
    const char *name;
    int arguments; /* at least; all that follow are those of `run` */
    int (*perform)(char **arguments);
} ACTS[] = {
    {"enter", 1, enter},
    {"private", 0, private},
    {"write", 2, write_to},
    {"itself", 1, itself},
    {"readonly", 1, read_only},
    {"writable", 1, writable},
    {"unlock", 1, unlock},
    {"place", 2, place},
    {"empty", 1, empty},
    {"conceal", 2, conceal},
    {"keep", 1, keep},
    {"cover", 1, cover},
    {"devices", 1, devices},
    {"processes", 0, processes},
    {"layer", 2, layer},
    {"proc", 0, proc},
    {"loopback", 0, loopback},
    {"capabilities", 1, capabilities},
    {"keyring", 0, keyring},
    {"no-new-privileges", 0, no_new_privileges},
    {"scope", 0, scope},
    {"ruleset", 2, begin_ruleset},
    {"allow", 2, allow},
    {"restrict", 0, restrict_self},
    {"limit", 3, limit},
    {"join", 1, join},
    {"directory", 1, directory},
    {"run", 1, run},
};

static const struct act *named(const char *name)
{
    for (size_t at = 0; at < sizeof ACTS / sizeof *ACTS; at++)
        if (!strcmp(ACTS[at].name, name))
            return ACTS + at;
    fail(EINVAL);
}

/* Reads the words, wherever the file stands; tells where they end. */
static char **words_of(int orders, char ***end)
{
    struct stat found;
    if (fstat(orders, &found) < 0)
        fail(errno);
    size_t size = (size_t)found.st_size, count = 0;
    char *text = malloc(size + 1), **words = calloc(size + 1, sizeof *words);
    if (!text || !words)
        fail(ENOMEM);
    for (size_t had = 0; had < size;) {
        ssize_t got = pread(orders, text + had, size - had, (off_t)had);
        if (got <= 0)
            fail(got ? errno : EINVAL);
        had += (size_t)got;
    }
    if (!size || text[size - 1])
        fail(EINVAL);
    for (const char *at = text; at < text + size; at += strlen(at) + 1)
        words[count++] = (char *)at;
    *end = words + count;
    return words;
}

int main(int count, char **arguments)
{
    uint64_t orders, told;
    /* Who has changed its user before it started this must look at its own /proc entries. */
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (count != 3 || number(arguments[1], &orders) < 0 || number(arguments[2], &told) < 0 ||
        fcntl((int)orders, F_SETFD, FD_CLOEXEC) < 0 || fcntl((int)told, F_SETFD, FD_CLOEXEC) < 0)
        _exit(FAILED);
    answers = (int)told;
    /* Where the ends of children are ignored, nobody can wait for them. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &as_found);

    char **end, **word = words_of((int)orders, &end);
    while (word < end) {
        doing = *word++;
        about = "";
        const struct act *act = named(doing);
        if (act->arguments)
            about = word < end ? *word : "";
        if (end - word < act->arguments)
            fail(EINVAL);
        if (act->perform(word) < 0)
            fail(errno);
        word += act->arguments;
    }
    doing = about = "";
    fail(EINVAL); /* nothing is to be run */
}
