/* Input and output of POSIX (IEEE 1003.1-2017, XSH), for `--stubs posix`: files, folders, pipes, sockets.

   A call may fail at any time, with any error, and what is read is any text of any length. So each call does all
   that POSIX lets it do, and more: what was written is not known when it is read, and neither is which
   descriptors are open, which may even be given twice. Where POSIX says more of a result that is returned, it is
   not modelled: a failure that needs a certain one is INCONCLUSIVE. What is assumed: no call waits for ever, and none
   changes memory of the program but where its arguments say. Structures are those of Linux on
   x86-64. */

typedef unsigned long size_t;

/* An error of the system, whatever it is. */
static int error(void)
{
    int number = __VERIFIER_nondet_int();
    *__errno_location() = number > 0 ? number : 1;
    return -1;
}

static int fails(void) { return __VERIFIER_nondet_bool() && error(); }

static int status(void) { return fails() ? -1 : 0; }

/* Without a branch: the path is the same for all values then, whichever is the right one. */
static int not_negative(int number) { return number & 0x7fffffff; }
static long from_zero(long number) { return number & (long)(-1UL / 2); }

/* Writes any bytes to the beginning of an object. */
static size_t fill(void *to, size_t size)
{
    unsigned char *bytes = to;
    size_t count = 0;
    while (count < size && __VERIFIER_nondet_bool())
        bytes[count++] = __VERIFIER_nondet_uchar();
    return count;
}

/* Writes a text of any length that has room there. */
static void fill_text(char *to, size_t size)
{
    size_t length = 0;
    while (length + 1 < size && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        to[length++] = c ? c : 1;
    }
    to[length] = 0;
}

/* Reads of an object, or of a name, as far as its length is known: any one byte stands for all, for who asks
   whether they may be read. */
static void look_at(const void *from, size_t size)
{
    size_t at = __VERIFIER_nondet_ulong();
    if (at < size)
        ((const volatile unsigned char *)from)[at];
}

/* How much of an object was written elsewhere. */
static long put(const void *from, size_t size)
{
    look_at(from, size);
    if (fails())
        return -1;
    size_t count = __VERIFIER_nondet_ulong();
    return (long)(count < size ? count : size);
}

/* ---- Descriptors ---- */

int open(const char *name, int flags)
{
    look_at(name, 1);
    return fails() ? -1 : not_negative(__sapa_unmodelled_int("open"));
}
int open64(const char *name, int flags) { return open(name, flags); }
int openat(int folder, const char *name, int flags)
{
    look_at(name, 1);
    return fails() ? -1 : not_negative(__sapa_unmodelled_int("openat"));
}
int creat(const char *name, unsigned mode) { return open(name, 0); }
int close(int file) { return status(); }
int dup(int file) { return fails() ? -1 : not_negative(__sapa_unmodelled_int("dup")); }
int dup2(int file, int other) { return other < 0 ? error() : fails() ? -1 : other; }

int pipe(int *files)
{
    if (fails())
        return -1;
    files[0] = not_negative(__sapa_unmodelled_int("pipe"));
    files[1] = not_negative(__sapa_unmodelled_int("pipe"));
    return 0;
}

int pipe2(int *files, int flags) { return pipe(files); }

long lseek(int file, long offset, int whence)
{
    return fails() ? -1 : from_zero(__sapa_unmodelled_long("lseek"));
}

long pread(int file, void *to, size_t size, long offset) { return fails() ? -1 : (long)fill(to, size); }
long pwrite(int file, const void *from, size_t size, long offset) { return put(from, size); }
int fsync(int file) { return status(); }
int fdatasync(int file) { return status(); }
int ftruncate(int file, long size) { return status(); }
int isatty(int file) { return !fails(); }

/* ---- Names ---- */

int truncate(const char *name, long size) { look_at(name, 1); return status(); }
int unlink(const char *name) { look_at(name, 1); return status(); }
int unlinkat(int folder, const char *name, int flags) { look_at(name, 1); return status(); }
int remove(const char *name) { look_at(name, 1); return status(); }
int rename(const char *old, const char *new) { look_at(old, 1); look_at(new, 1); return status(); }
int link(const char *old, const char *new) { look_at(old, 1); look_at(new, 1); return status(); }
int symlink(const char *text, const char *name) { look_at(text, 1); look_at(name, 1); return status(); }
int mkdir(const char *name, unsigned mode) { look_at(name, 1); return status(); }
int rmdir(const char *name) { look_at(name, 1); return status(); }
int mkfifo(const char *name, unsigned mode) { look_at(name, 1); return status(); }
int access(const char *name, int mode) { look_at(name, 1); return status(); }
int chmod(const char *name, unsigned mode) { look_at(name, 1); return status(); }
int fchmod(int file, unsigned mode) { return status(); }
int chdir(const char *name) { look_at(name, 1); return status(); }
int fchdir(int file) { return status(); }
long readlink(const char *name, char *to, size_t size)
{
    look_at(name, 1);
    return fails() ? -1 : (long)fill(to, size);
}

char *getcwd(char *to, size_t size)
{
    if (fails())
        return 0;
    if (!to) {
        /* GNU's extension. */
        size = size ? size : 4096;
        to = malloc(size);
        if (!to)
            return 0;
    } else if (!size) {
        error();
        return 0;
    }
    fill_text(to, size);
    return to;
}

struct stat {
    unsigned long device, number, links;
    unsigned mode, user, group, padding;
    unsigned long of_device;
    long size, block_size, blocks;
    long times[6];
};

static int describe(struct stat *to)
{
    if (fails())
        return -1;
    to->device = __VERIFIER_nondet_ulong();
    to->number = __VERIFIER_nondet_ulong();
    to->links = __VERIFIER_nondet_ulong();
    to->mode = __VERIFIER_nondet_uint();
    to->user = __VERIFIER_nondet_uint();
    to->group = __VERIFIER_nondet_uint();
    to->padding = __VERIFIER_nondet_uint();
    to->of_device = __VERIFIER_nondet_ulong();
    to->size = from_zero(__VERIFIER_nondet_long());
    to->block_size = __VERIFIER_nondet_long();
    to->blocks = __VERIFIER_nondet_long();
    to->times[0] = __VERIFIER_nondet_long();
    to->times[1] = __VERIFIER_nondet_long();
    to->times[2] = __VERIFIER_nondet_long();
    to->times[3] = __VERIFIER_nondet_long();
    to->times[4] = __VERIFIER_nondet_long();
    to->times[5] = __VERIFIER_nondet_long();
    return 0;
}

int stat(const char *name, struct stat *to) { look_at(name, 1); return describe(to); }
int lstat(const char *name, struct stat *to) { look_at(name, 1); return describe(to); }
int fstat(int file, struct stat *to) { return describe(to); }
int fstatat(int folder, const char *name, struct stat *to, int flags) { look_at(name, 1); return describe(to); }

/* ---- Folders. Each has the entry that was read of it last. ---- */

struct dirent {
    unsigned long number;
    long offset;
    unsigned short size;
    unsigned char type;
    char name[256];
};

void *opendir(const char *name) { look_at(name, 1); return fails() ? 0 : malloc(sizeof(struct dirent)); }

/* At the end it returns null too, and leaves `errno` alone. */
void *readdir(void *folder)
{
    struct dirent *entry = folder;
    if (__VERIFIER_nondet_bool() || fails())
        return 0;
    entry->number = __VERIFIER_nondet_ulong();
    entry->offset = __VERIFIER_nondet_long();
    entry->size = __VERIFIER_nondet_ushort();
    entry->type = __VERIFIER_nondet_uchar();
    fill_text(entry->name, sizeof entry->name);
    return entry;
}

int closedir(void *folder)
{
    free(folder);
    return status();
}

/* ---- Streams ---- */


/* ---- Sockets ---- */

/* An address of the other side, or another value whose size the caller gives. What does not fit is cut off, and
   the size may be larger then. */
static void fill_sized(void *to, unsigned *size)
{
    if (!to || !size)
        return;
    fill(to, *size);
    *size = __VERIFIER_nondet_uint();
}

int socket(int domain, int type, int protocol)
{
    return fails() ? -1 : not_negative(__sapa_unmodelled_int("socket"));
}

int accept(int file, void *address, unsigned *size)
{
    if (fails())
        return -1;
    fill_sized(address, size);
    return not_negative(__sapa_unmodelled_int("accept"));
}

int bind(int file, const void *address, unsigned size) { return put(address, size) < 0 ? -1 : 0; }
int connect(int file, const void *address, unsigned size) { return put(address, size) < 0 ? -1 : 0; }
int listen(int file, int backlog) { return status(); }
int shutdown(int file, int how) { return status(); }
int setsockopt(int file, int level, int name, const void *value, unsigned size)
{
    return put(value, size) < 0 ? -1 : 0;
}

static int tell(void *to, unsigned *size)
{
    if (fails())
        return -1;
    fill_sized(to, size);
    return 0;
}

int getsockopt(int file, int level, int name, void *value, unsigned *size) { return tell(value, size); }
int getsockname(int file, void *address, unsigned *size) { return tell(address, size); }
int getpeername(int file, void *address, unsigned *size) { return tell(address, size); }

long recv(int file, void *to, size_t size, int flags) { return fails() ? -1 : (long)fill(to, size); }
long send(int file, const void *from, size_t size, int flags) { return put(from, size); }

long recvfrom(int file, void *to, size_t size, int flags, void *address, unsigned *address_size)
{
    if (fails())
        return -1;
    fill_sized(address, address_size);
    return (long)fill(to, size);
}

long sendto(int file, const void *from, size_t size, int flags, const void *address, unsigned address_size)
{
    look_at(address, address_size);
    return put(from, size);
}

/* ---- Waiting for input ---- */

struct pollfd {
    int file;
    short events, happened;
};

int poll(struct pollfd *files, unsigned long count, int timeout)
{
    int ready = 0;
    if (fails())
        return -1;
    for (unsigned long at = 0; at < count; at++) {
        short happened = files[at].file < 0 ? 0 : __VERIFIER_nondet_short();
        files[at].happened = happened;
        ready += happened != 0;
    }
    return ready;
}
