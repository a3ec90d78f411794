// Models of POSIX's input and output: each may fail, with any error, and reads anything; what POSIX says of results
// is known, or a failure that needs it is no verdict.
// RUN: sapa check -q --stubs posix %s
// RUN: for f in files,CLOSED files,SAME sockets,LENGTH folder,ENTRY sockets,READY; do sapa check -q --stubs posix -DPART=${f%%,*} -D${f##*,} %s | tail -1; done
// RUN: sapa check -q %s 2>&1 | grep -c "is not defined, is not known"
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void files(void)
{
    char text[2];
    struct stat about;
    int file = open("name", O_RDWR | O_CREAT, 0600), again = open("name", O_RDONLY);
    if (file < 0) {
        assert(file == -1 && errno > 0);
        return;
    }
    long count = pread(file, text, sizeof text, 0);
    assert(count >= -1 && count <= 2);
    count = pwrite(file, text, sizeof text, 0);
    assert(count >= -1 && count <= 2);
    if (!fstat(file, &about) || !stat("name", &about))
        assert(about.st_size >= 0);
#ifdef SAME
    assert(file != again || again < 0);
#endif
    assert(lseek(file, 0, SEEK_END) >= -1);
    assert(dup2(file, 5) == 5 || errno);
    fsync(file);
    unlink("name");
#ifdef CLOSED
    assert(!close(file));
#else
    close(file);
#endif
}

static void folder(void)
{
    DIR *here = opendir(".");
    if (!here)
        return;
    struct dirent *entry = readdir(here);
    if (entry) {
        char first = entry->d_name[0];
#ifdef ENTRY
        assert(first != 'x');
#endif
    }
    closedir(here);
}

static void sockets(void)
{
    char text[2];
    struct sockaddr_storage from;
    socklen_t size = 2;
    int ends[2];
    int server = socket(AF_INET, SOCK_STREAM, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&from, sizeof from) || listen(server, 1))
        return;
    int client = accept(server, (struct sockaddr *)&from, &size);
    long count = recv(client, text, sizeof text, 0);
    assert(count <= 2);
#ifdef LENGTH
    assert(count != 1);
#endif
    struct pollfd wait = {client, POLLIN, 0};
    int ready = poll(&wait, 1, 100);
    assert(ready >= -1 && ready <= 1);
    assert(ready != 1 || wait.revents);
#ifdef READY
    assert(ready != 1);
#endif
    if (!pipe(ends))
        assert(ends[0] >= 0 && ends[1] >= 0);
    shutdown(client, SHUT_RDWR);
}

int main(void)
{
#ifdef PART
    PART();
#else
    files();
    folder();
    sockets();
#endif
    return 0;
}
