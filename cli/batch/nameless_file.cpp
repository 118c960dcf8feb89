#include "cli/batch/nameless_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "base/errno_text.h"
#include "cli/terminal/output_file.h"

namespace sluice::cli {
namespace {

int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string pattern = folder + "/sluice-batch-XXXXXX";
  const int named = mkostemp(pattern.data(), O_APPEND | O_CLOEXEC);
  if (named >= 0) unlink(pattern.c_str());
  return named;
}

/// The kernel grants a write lease only where no other open file has the inode. Should another be
/// opened meanwhile, it sends a signal, which must not be SIGIO: that one kills.
bool is_open_elsewhere(int file) {
  if (fcntl(file, F_SETSIG, SIGURG) != 0 || fcntl(file, F_SETLEASE, F_WRLCK) != 0) return true;
  return fcntl(file, F_SETLEASE, F_UNLCK) != 0;
}

}  // namespace

std::uint64_t NamelessFile::size() const {
  struct stat status {};
  return fstat(descriptor(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

int NamelessFile::open_writer() {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor());
  if (!writer_) writer_.reset(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  is_shared_ = !writer_;
  return is_shared_ ? descriptor() : writer_.get();
}

Descriptor NamelessFile::release_if_unused() {
  close_writer();
  if (is_shared_ || is_open_elsewhere(descriptor())) return Descriptor();
  if (size() > 0 && ftruncate(descriptor(), 0) != 0) return Descriptor();
  return std::move(descriptor_);
}

TooManyOpenFiles::TooManyOpenFiles(int error)
    : std::runtime_error(errno_text("cannot open a temporary file", error)), error_(error) {}

std::shared_ptr<NamelessFile> NamelessFiles::make() {
  Descriptor descriptor;
  if (!spare_->empty()) {
    descriptor = std::move(spare_->back());
    spare_->pop_back();
  } else {
    static const std::string folder = temporary_folder();
    descriptor.reset(open_nameless(folder));
    const int error = errno;
    if (!descriptor && is_lack_of_descriptors(error)) throw TooManyOpenFiles(error);
    if (!descriptor) {
      throw std::runtime_error("cannot create a temporary file in " + errno_text(folder, error) +
                               " (TMPDIR names another folder)");
    }
  }
  const auto into_spare = [spare = std::weak_ptr(spare_)](NamelessFile* file) {
    const auto kept = spare.lock();
    Descriptor released = kept ? file->release_if_unused() : Descriptor();
    if (released) kept->push_back(std::move(released));
    delete file;
  };
  return std::shared_ptr<NamelessFile>(new NamelessFile(std::move(descriptor)), into_spare);
}

}  // namespace sluice::cli
