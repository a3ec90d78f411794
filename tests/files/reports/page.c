// A page has all that is known of a run; nothing that comes from outside is markup.
// RUN: cp %s %t'<script>&"'.c; sapa check -q --report %t.html %t'<script>&"'.c -DBROKEN > %t.out; echo "exit $?"
// RUN: grep -c '<script' %t.html; grep -o '<title>.*FAILED: ' %t.html; grep -o '&lt;script&gt;&amp;&quot;.c' %t.html | sort -u
// RUN: grep -c 'class="line fails"' %t.html; grep -o '<li id="r0-3"[^>]*>' %t.html; grep -o '<g id="r0s3">' %t.html; grep -o 'total == 2 &amp;&amp; &quot;&lt;b&gt;&amp;&lt;/b&gt;&quot;</code> at' %t.html | sort -u
// RUN: sapa check -q --report %t.html --certificate %t.cert %s > %t.out; grep -o 'Invariant of the proof</h2>\|<summary>Invariant' %t.html; grep -c 'found by a pass\|href="#i1"' %t.html
// RUN: sapa check -q --iterations 1 --engine thread-modular --report %t.html %d/../traces/early_unlock.c > %t.out; grep -o '<h3>Why there is no answer\|<h3>What to try' %t.html; tail -1 %t.out
// RUN: sapa check -q --all --report %t.html %s -DBROKEN > %t.out; grep -o '<td>fails</td>\|<td>proved</td>\|Run 1' %t.html | sort -u
#include <assert.h>
#include <pthread.h>

int total;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    int before = total;
#ifdef BROKEN
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    total = before + 1;
    assert(total == before + 1);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a;
#ifdef BROKEN
    pthread_t b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(total == 2 && "<b>&</b>");
#else
    for (;;)
        pthread_create(&a, 0, add, 0);
#endif
}
