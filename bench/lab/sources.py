"""The source that a compile job compiles.

A compiler's memory and time come from what it instantiates: each record of a source is a class with
a map and a function of its own, and a tuple of `width` distinct types. Only g++ and its standard
library are needed.
"""

import subprocess

SOURCE = """\
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

template <std::size_t I, std::size_t J>
struct Tag {
  char marks[J + 1];
};

template <std::size_t I, std::size_t... J>
constexpr std::size_t width(std::index_sequence<J...>) {
  return sizeof(std::tuple<Tag<I, J>...>);
}

template <std::size_t I>
struct Record {
  std::string name;
  std::size_t sum = width<I>(std::make_index_sequence<%(width)d>{});
};

template <std::size_t I>
std::size_t work(std::size_t seed) {
  std::map<std::string, Record<I>> by_name;
  std::function<std::size_t(const Record<I>&)> keep = [&by_name](const Record<I>& record) {
    by_name[record.name] = record;
    return record.sum + by_name.size();
  };
  return keep(Record<I>{"first", seed});
}

template <std::size_t... I>
std::size_t work_all(std::size_t seed, std::index_sequence<I...>) {
  return (work<I>(seed) + ...);
}

}  // namespace

std::size_t %(name)s(std::size_t seed) {
  return work_all(seed, std::make_index_sequence<%(records)d>{});
}
"""


def source(name, records, width):
    return SOURCE % {"name": name, "records": records, "width": width}


def makefile(jobs):
    """Of jobs (name, whether it compiles NAME.cpp, command), each of which makes o/NAME.o."""
    lines = ["all: " + " ".join(f"o/{name}.o" for name, _, _ in jobs), ""]
    for name, compiles, command in jobs:
        source = f" {name}.cpp" if compiles else ""
        lines += [f"o/{name}.o:{source}", f"\t@{command}", ""]
    return "\n".join(lines)


def compiler_version():
    return subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True,
                          check=True).stdout.strip()
