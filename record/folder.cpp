#include "record/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/errno_text.h"
#include "base/folder.h"
#include "base/parse.h"
#include "base/seconds.h"

namespace sluice::record {
namespace {

constexpr std::string_view kEnding = ".srec";
/// Follows the name of a file that has no whole block yet.
constexpr const char* kUnpublished = ".new";
constexpr std::uint64_t kMostRead = std::uint64_t{64} << 20;

std::string file_name(std::uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%010llu", static_cast<unsigned long long>(number));
  return digits + std::string(kEnding);
}

/// 0 for a name that is not a segment's.
std::uint64_t number_in(std::string_view name) {
  const std::uint64_t number = parse_u64(name.substr(0, name.find('.'))).value_or(0);
  return file_name(number) == name ? number : 0;
}

}  // namespace

std::variant<RecordFolder, std::string> RecordFolder::open_to_read(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return errno_text(path);
  return RecordFolder(path, std::move(folder));
}

std::variant<RecordFolder, std::string> RecordFolder::open_to_write(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return errno_text(path);
  auto opened = open_to_read(path);
  if (auto* problem = std::get_if<std::string>(&opened)) return std::move(*problem);
  auto& folder = std::get<RecordFolder>(opened);
  struct stat facts {};
  if (fstat(folder.folder_.get(), &facts) != 0) return errno_text(path);
  if (facts.st_uid != geteuid()) return path + " belongs to another user: move it away";
  if ((facts.st_mode & 07777) != 0700 && fchmod(folder.folder_.get(), 0700) != 0) {
    return errno_text(path);
  }
  folder.lock_.reset(openat(folder.folder_.get(), "lock",
                            O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!folder.lock_) return errno_text(path + "/lock");
  if (flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return path + kHeldByAnother;
    return errno_text(path + "/lock");
  }
  return opened;
}

std::string RecordFolder::path_of(std::uint64_t number) const {
  return path_ + "/" + file_name(number);
}

std::vector<SegmentFile> RecordFolder::segments() const {
  std::vector<SegmentFile> found;
  for (const std::string& name : names_in_folder(folder_.get())) {
    const std::uint64_t number = number_in(name);
    struct stat facts {};
    if (number == 0 || fstatat(folder_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (!S_ISREG(facts.st_mode)) continue;
    found.push_back(
        {number, static_cast<std::uint64_t>(facts.st_size), WallTime(duration_of(facts.st_mtim))});
  }
  std::ranges::sort(found, {}, &SegmentFile::number);
  return found;
}

std::variant<Descriptor, std::string> RecordFolder::create(std::uint64_t number) const {
  const std::string name = file_name(number) + kUnpublished;
  // A daemon that was killed may have left one.
  Descriptor file(openat(folder_.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno_text(path_ + "/" + name);
  return file;
}

std::optional<std::string> RecordFolder::publish(std::uint64_t number) const {
  const std::string name = file_name(number), unpublished = name + kUnpublished;
  int result =
      renameat2(folder_.get(), unpublished.c_str(), folder_.get(), name.c_str(), RENAME_NOREPLACE);
  // A file system that cannot keep what is there, such as NFS.
  if (result != 0 && errno == EINVAL) {
    result = renameat(folder_.get(), unpublished.c_str(), folder_.get(), name.c_str());
  }
  if (result != 0) return errno_text(path_of(number));
  return std::nullopt;
}

std::optional<std::string> RecordFolder::replace(const SegmentFile& segment,
                                                 std::string_view contents) const {
  const auto created = create(segment.number);
  if (const auto* problem = std::get_if<std::string>(&created)) return *problem;
  const Descriptor& file = std::get<Descriptor>(created);
  const std::string name = file_name(segment.number);
  const timespec modified = timespec_of(segment.modified.time_since_epoch());
  const timespec times[] = {modified, modified};
  const bool is_replaced =
      write_all(file.get(), contents) == contents.size() && futimens(file.get(), times) == 0 &&
      fdatasync(file.get()) == 0 &&
      renameat(folder_.get(), (name + kUnpublished).c_str(), folder_.get(), name.c_str()) == 0;
  std::optional<std::string> problem;
  if (!is_replaced) {
    problem = errno_text(path_of(segment.number));
    discard(segment.number);
  }
  return problem;
}

void RecordFolder::discard(std::uint64_t number) const {
  unlinkat(folder_.get(), (file_name(number) + kUnpublished).c_str(), 0);
}

void RecordFolder::remove(std::uint64_t number) const {
  unlinkat(folder_.get(), file_name(number).c_str(), 0);
}

std::variant<std::string, std::string> RecordFolder::read(std::uint64_t number,
                                                          std::uint64_t from) const {
  using Contents = std::variant<std::string, std::string>;
  const auto failed = [&] { return Contents(std::in_place_index<1>, errno_text(path_of(number))); };
  const Descriptor file(openat(folder_.get(), file_name(number).c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return failed();
  std::string contents;
  ssize_t got = 1;
  while (got > 0 && contents.size() < kMostRead) {
    const std::size_t size = contents.size();
    contents.resize(size + (std::size_t{256} << 10));
    got = pread(file.get(), contents.data() + size, contents.size() - size,
                static_cast<off_t>(from + size));
    contents.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  if (got < 0) return failed();
  return Contents(std::in_place_index<0>, std::move(contents));
}

std::string missing_between(std::uint64_t before, std::uint64_t number) {
  if (before == 0 || number <= before + 1) return "";
  const std::string first = std::to_string(before + 1);
  if (number == before + 2) return "segment " + first + " is missing";
  return "segments " + first + " to " + std::to_string(number - 1) + " are missing";
}

ReadSegment read_one(const RecordFolder& folder, const SegmentFile& file, const OnEntry& each) {
  ReadSegment segment{file, {}};
  const auto contents = folder.read(file.number);
  if (contents.index() == 0) {
    segment.summary = read_segment(std::get<0>(contents), each);
  } else {
    segment.summary.problems = {std::get<1>(contents)};
    segment.summary.is_whole = false;
  }
  return segment;
}

std::vector<ReadSegment> read_record(const RecordFolder& folder, const OnEntry& each) {
  std::vector<ReadSegment> all;
  std::uint64_t before = 0;
  for (const SegmentFile& file : folder.segments()) {
    ReadSegment segment = read_one(folder, file, each);
    auto& problems = segment.summary.problems;
    std::string missing = missing_between(std::exchange(before, file.number), file.number);
    if (!missing.empty()) problems.insert(problems.begin(), missing + " before it");
    all.push_back(std::move(segment));
  }
  return all;
}

}  // namespace sluice::record
