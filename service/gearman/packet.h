#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::gearman {

/// Commands between a worker and a Gearman server, by protocol number. Source: the file PROTOCOL of
/// gearmand.
enum class PacketCommand : std::uint32_t {
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
std::string_view to_string(PacketCommand command);

struct Packet {
  enum class Magic { request, response };
  Magic magic = Magic::request;
  PacketCommand command = PacketCommand::noop;
  std::vector<std::string> arguments;  ///< As many as the command has; only the last may hold NUL.
  /// Bytes of a job's data, its last argument, that exceeded the limit and were discarded.
  std::uint64_t cut = 0;

  bool operator==(const Packet&) const = default;
};

/// Number of arguments of a command.
std::size_t argument_count(PacketCommand command);

/// Most bytes of every argument except the last: more than gearmand accepts for a function name
/// (512).
inline constexpr std::size_t kMostName = 512;
/// Most bytes of a packet's last argument, except for job data, which has its own limit.
inline constexpr std::size_t kMostText = 64 * 1024;

/// Encodes the packet as bytes. Throws std::invalid_argument for a packet that could not be read
/// back: with too many or too few arguments, with a NUL or more than `kMostName` bytes in an
/// argument before the last, or with 4 GiB in all. Does not write `cut`.
std::string encode(const Packet& packet);

/// Parses packets from bytes as they arrive. Memory is bounded, whatever arrives: a job with too
/// much data is still read to its end, so that it can be answered, but its data is cut.
class PacketReader {
 public:
  /// `most_data`: bytes to keep of a job's data.
  explicit PacketReader(std::size_t most_data) : most_data_(most_data) {}

  void put(std::string_view bytes);

  struct Incomplete {};
  /// Why the bytes are not packets; nothing after them can be read.
  struct Fault {
    std::string reason;
  };
  using Next = std::variant<Incomplete, Packet, Fault>;

  /// The next packet; call it until it returns `Incomplete`.
  Next next();

 private:
  struct Header {
    Packet::Magic magic;
    PacketCommand command;
    std::uint64_t kept;     ///< Bytes of the body to read.
    std::uint64_t skipped;  ///< Bytes after these still to discard.
    std::uint64_t cut;      ///< The initial value of `skipped`.
  };

  std::variant<Header, Fault> read_header() const;
  Next split(const Header& header, std::string_view body) const;
  std::uint64_t most_body(PacketCommand command) const;

  std::size_t most_data_;
  std::string in_;
  std::size_t used_ = 0;  ///< Parsed bytes at the front of `in_`.
  std::optional<Header> header_;
  std::optional<Fault> fault_;
};

}  // namespace sluice::gearman
