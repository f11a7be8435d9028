/* One look at a directory: which of the names that are known are not as last seen, which are new.
 *
 * What looks.py does in Python, in half the time; scripts/setup and hatch_build.py compile it where
 * there is a compiler. Whatever it cannot do it refuses with the number of the error, and Python
 * does it. It reads and writes within the lengths it is told, and keeps nothing.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As signature.py packs it. */
struct signature {
    uint32_t links;
    uint64_t inode, size;
    int64_t changed;
    uint32_t changed_ns;
    int64_t written;
    uint32_t written_ns;
} __attribute__((packed));

static int by_name(const void *wanted, const void *known)
{
    return strcmp(wanted, *(const char *const *)known);
}

/* Finds where each of so many names begins; each must end within the length. */
static int split(const char *names, size_t length, const char **known, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        const char *end = length ? memchr(names, 0, length) : NULL;
        if (!end)
            return -EINVAL;
        known[at] = names;
        length -= (size_t)(end + 1 - names);
        names = end + 1;
    }
    return length ? -EINVAL : 0;
}

/* Writes the names that are there and not known, each with its end; returns how many bytes. */
static long list(int fd, const char *const *known, size_t count, char *names, size_t room)
{
    _Alignas(struct dirent64) char read[1 << 15];
    size_t used = 0;
    long got;
    while ((got = syscall(SYS_getdents64, fd, read, sizeof read)) > 0) {
        const struct dirent64 *entry;
        for (long at = 0; at < got; at += entry->d_reclen) {
            entry = (const struct dirent64 *)(read + at);
            size_t length = strlen(entry->d_name) + 1; /* the kernel has ended it */
            if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
                bsearch(entry->d_name, known, count, sizeof *known, by_name))
                continue;
            if (length > room - used)
                return -ERANGE;
            memcpy(names + used, entry->d_name, length);
            used += length;
        }
    }
    return got ? -errno : (long)used;
}

/* Marks the names that are gone or not as last seen; returns how many. */
static long compare(int fd, const char *const *known, size_t count,
                    const struct signature *seen, char *marks)
{
    long marked = 0;
    for (size_t at = 0; at < count; at++) {
        struct stat found;
        if (fstatat(fd, known[at], &found, AT_SYMLINK_NOFOLLOW) == 0) {
            struct signature now = {found.st_nlink, found.st_ino, found.st_size,
                                    found.st_ctim.tv_sec, found.st_ctim.tv_nsec,
                                    found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
            marks[at] = memcmp(&now, seen + at, sizeof now) != 0;
        } else if (errno == ENOENT)
            marks[at] = 1;
        else
            return -errno;
        marked += marks[at];
    }
    return marked;
}

/* Looks at a directory, of which `count` sorted names are known, each with its end, and what each
 * file was when it was seen. Writes a mark for each of them, then the names that are new. Returns
 * how many bytes that is, 0 if nothing differs, or an error number below 0. The 1 is the number of
 * this agreement: another one has another name, so that each side finds only what it understands.
 */
long cleveragents_look_1(int fd, const char *names, size_t length, const struct signature *seen,
                         size_t count, char *out, size_t room)
{
    if (count > room || count > SIZE_MAX / sizeof(char *) - 1)
        return -ERANGE;
    const char **known = malloc((count + 1) * sizeof *known);
    if (!known)
        return -ENOMEM;
    long told = split(names, length, known, count), marked = 0;
    if (told == 0)
        told = list(fd, known, count, out + count, room - count);
    if (lseek(fd, 0, SEEK_SET) < 0) /* who lists it next begins where the descriptor stands */
        told = -errno;
    if (told >= 0)
        marked = compare(fd, known, count, seen, out);
    free(known);
    if (told < 0 || marked < 0)
        return told < 0 ? told : marked;
    return told || marked ? (long)count + told : 0;
}
