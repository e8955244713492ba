// SPDX-License-Identifier: GPL-2.0-only
// throw CALLS: every third call of risky() throws, through outer() as well. A thread calls each.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" __attribute__((noipa)) long risky(long n)
{
	std::string text(n % 40 + 1, 'x');

	if (n % 3 == 0)
		throw std::runtime_error(text);
	return (long)text.size();
}

extern "C" __attribute__((noipa)) long outer(long n)
{
	std::string more("a");

	return risky(n) + (long)more.size();
}

static void calls(long nr)
{
	long i, thrown = 0;

	for (i = 0; i < nr; i++) {
		try {
			outer(i);
		} catch (const std::exception &) {
			thrown++;
		}
	}
	std::printf("%ld thrown\n", thrown);
}

int main(int, char **argv)
{
	std::thread thread(calls, std::atol(argv[1]));

	calls(std::atol(argv[1]));
	thread.join();
}
