#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice {

/// What a worker says to a Gearman server and hears from it, by its numbers in the protocol.
/// Source: the file PROTOCOL of gearmand.
enum class GearmanCommand : std::uint32_t {
  can_do = 1,
  cant_do = 2,
  reset_abilities = 3,
  pre_sleep = 4,
  noop = 6,
  grab_job = 9,
  no_job = 10,
  job_assign = 11,
  work_status = 12,
  work_complete = 13,
  work_fail = 14,
  echo_req = 16,
  echo_res = 17,
  error = 19,
  set_client_id = 22,
  can_do_timeout = 23,
  work_exception = 25,
  option_req = 26,
  option_res = 27,
  work_data = 28,
  work_warning = 29,
  grab_job_uniq = 30,
  job_assign_uniq = 31
};

/// "JOB_ASSIGN_UNIQ"
std::string_view to_string(GearmanCommand command);

struct GearmanPacket {
  enum class Magic { request, response };
  Magic magic = Magic::request;
  GearmanCommand command = GearmanCommand::noop;
  std::vector<std::string> arguments;  ///< As many as the command has; only the last may hold NUL.
  /// Bytes of a job's data, its last argument, that were beyond what is read, and thrown away.
  std::uint64_t cut = 0;

  bool operator==(const GearmanPacket&) const = default;
};

/// How many arguments a command has.
std::size_t gearman_arguments(GearmanCommand command);

/// Longest argument but the last, in bytes: more than gearmand takes of a function's name (512).
inline constexpr std::size_t kMostGearmanName = 512;
/// Most bytes of a packet's last argument, but for the data of a job, which has a limit of its own.
inline constexpr std::size_t kMostGearmanText = 64 * 1024;

/// The packet as bytes. Throws std::invalid_argument for one that could not be read back: with
/// too many or too few arguments, a NUL or more than `kMostGearmanName` bytes in one that is not
/// the last, or 4 GiB in all. `cut` is not written.
std::string encode(const GearmanPacket& packet);

/// Packets out of bytes as they come. What it keeps is bounded, whatever comes: a job with too
/// much data is read to its end all the same, so that it can be answered, but its data is cut.
class GearmanReader {
 public:
  /// `most_data`: bytes of a job's data that are kept.
  explicit GearmanReader(std::size_t most_data) : most_data_(most_data) {}

  void put(std::string_view bytes);

  struct Incomplete {};
  /// Why the bytes are no packets; nothing after them can be read.
  struct Fault {
    std::string reason;
  };
  using Next = std::variant<Incomplete, GearmanPacket, Fault>;

  /// The next packet; call it until there is none.
  Next next();

 private:
  struct Header {
    GearmanPacket::Magic magic;
    GearmanCommand command;
    std::uint64_t kept;     ///< Bytes of the body that are read.
    std::uint64_t skipped;  ///< Bytes behind them that are still to be thrown away.
    std::uint64_t cut;      ///< The same at the beginning.
  };

  std::variant<Header, Fault> read_header() const;
  Next split(const Header& header, std::string_view body) const;
  std::uint64_t most_body(GearmanCommand command) const;

  std::size_t most_data_;
  std::string in_;
  std::size_t used_ = 0;  ///< Bytes at the front of `in_` that are read.
  std::optional<Header> header_;
  std::optional<Fault> fault_;
};

}  // namespace sluice
