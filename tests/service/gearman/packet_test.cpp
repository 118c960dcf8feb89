#include "service/gearman/packet.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace sluice::gearman {
namespace {
using namespace std::string_literals;
using Magic = Packet::Magic;
using enum PacketCommand;

constexpr std::size_t kData = 256;

Packet response(PacketCommand command, std::vector<std::string> arguments = {}) {
  return {Magic::response, command, std::move(arguments), 0};
}

/// Every packet in the bytes, which are fed in pieces of this size; the reason of an error.
std::pair<std::vector<Packet>, std::string> read_all(std::string_view bytes,
                                                     std::size_t piece = SIZE_MAX) {
  PacketReader reader(kData);
  std::vector<Packet> packets;
  while (!bytes.empty()) {
    reader.put(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (true) {
      auto next = reader.next();
      if (const auto* fault = std::get_if<PacketReader::Fault>(&next)) {
        return {packets, fault->reason};
      }
      if (std::holds_alternative<PacketReader::Incomplete>(next)) break;
      packets.push_back(std::get<Packet>(next));
    }
  }
  return {packets, ""};
}

TEST(GearmanPacket, IsWrittenAsTheProtocolSays) {
  EXPECT_EQ(encode({Magic::request, can_do, {"build"}, 0}), "\0REQ\0\0\0\x01\0\0\0\x05"s + "build");
  EXPECT_EQ(encode({Magic::request, pre_sleep, {}, 0}), "\0REQ\0\0\0\x04\0\0\0\0"s);
  EXPECT_EQ(encode({Magic::request, can_do_timeout, {"f", "30"}, 0}),
            "\0REQ\0\0\0\x17\0\0\0\x04"s + "f\0"s + "30");
  EXPECT_EQ(encode({Magic::request, work_complete, {"H:a:1", "x\0y"s}, 0}),
            "\0REQ\0\0\0\x0d\0\0\0\x09H:a:1\0x\0y"s);
  EXPECT_EQ(encode(response(job_assign_uniq, {"h", "f", "u", "d"})),
            "\0RES\0\0\0\x1f\0\0\0\x07h\0f\0u\0"s + "d");
}

TEST(GearmanPacket, IsNotWrittenWhereItCouldNotBeReadBack) {
  const std::string long_name(kMostName + 1, 'x');
  for (const Packet& bad :
       {Packet{Magic::request, can_do, {}, 0}, Packet{Magic::request, pre_sleep, {"x"}, 0},
        Packet{Magic::request, work_data, {"a\0b"s, ""}, 0},
        Packet{Magic::request, work_data, {long_name, ""}, 0},
        Packet{Magic::request, PacketCommand{5}, {}, 0}}) {
    EXPECT_THROW(encode(bad), std::invalid_argument) << to_string(bad.command);
  }
}

TEST(GearmanReader, ReadsPacketsHoweverTheyAreCutUp) {
  const std::vector<Packet> sent = {
      response(noop), response(no_job),
      response(job_assign_uniq, {"H:host:1", "executor:execute", "", "{\"key\": \"a\"}\0\0"s}),
      response(error, {"JOB_NOT_FOUND", ""}), response(echo_res, {std::string(1000, '\0')})};
  std::string bytes;
  for (const Packet& packet : sent) bytes += encode(packet);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const auto [packets, fault] = read_all(bytes, piece);
    ASSERT_EQ(packets, sent) << "pieces of " << piece;
    ASSERT_EQ(fault, "") << "pieces of " << piece;
  }
}

TEST(GearmanReader, CutsAJobsDataAndGoesOnBehindIt) {
  const std::string bytes =
      encode(response(job_assign_uniq, {"h", "f", "u", std::string(100'000, 'd')})) +
      encode(response(noop));
  for (const std::size_t piece : {1UL, 7UL, 1000UL, 1'000'000UL}) {
    const auto [packets, fault] = read_all(bytes, piece);
    ASSERT_EQ(packets.size(), 2U) << fault;
    EXPECT_EQ(packets[0].arguments[3], std::string(kData, 'd'));
    EXPECT_EQ(packets[0].cut, 100'000 - kData);
    EXPECT_EQ(packets[1], response(noop));
  }
}

TEST(GearmanReader, KeepsDataOfJustTheMostBytes) {
  for (const std::size_t size : {kData - 1, kData, kData + 1}) {
    const auto [packets, fault] =
        read_all(encode(response(job_assign_uniq, {"h", "f", "u", std::string(size, 'd')})));
    ASSERT_EQ(packets.size(), 1U) << fault;
    EXPECT_EQ(packets[0].arguments[3].size(), std::min(size, kData));
    EXPECT_EQ(packets[0].cut, size - std::min(size, kData));
  }
}

struct Bad {
  std::string bytes;
  const char* reason;
};

TEST(GearmanReader, SaysWhyBytesAreNoPackets) {
  const std::string names(kMostName + 1, 'n');
  const Bad table[] = {
      {"HTTP/1.1 400 Bad Request", "received data that is not a Gearman packet"},
      {"\0RET\0\0\0\x06\0\0\0\0"s, "received data that is not a Gearman packet"},
      {"\0RES\0\0\0\x05\0\0\0\0"s, "packet type 5 is not known"},
      {"\0RES\xff\xff\xff\xff\0\0\0\0"s, "packet type 4294967295 is not known"},
      {"\0RES\0\0\0\x06\0\0\0\x01x"s, "NOOP of 1 bytes, more than the 0 allowed"},
      {"\0RES\0\0\0\x13\xff\xff\xff\xff"s,
       "ERROR of 4294967295 bytes, more than the 66049 allowed"},
      {"\0RES\0\0\0\x1f\0\0\0\x05h\0f\0u"s, "JOB_ASSIGN_UNIQ lacks an argument"},
      {"\0RES\0\0\0\x13\0\0\0\x04oops"s, "ERROR lacks an argument"},
      {"\0RES\0\0\0\x13\0\0\x02\x02"s + names + '\0', "ERROR has an argument that is too long"},
      {"\0RES\0\0\0\x1f\0\x01\0\0"s + std::string(65536, 'h'),
       "JOB_ASSIGN_UNIQ has an argument that is too long"},
  };
  for (const Bad& bad : table) EXPECT_EQ(read_all(bad.bytes).second, bad.reason);
}

TEST(GearmanReader, ReadsNothingBehindAFault) {
  PacketReader reader(kData);
  reader.put("not at all gearman");
  EXPECT_TRUE(std::holds_alternative<PacketReader::Fault>(reader.next()));
  reader.put(encode(response(noop)));
  EXPECT_TRUE(std::holds_alternative<PacketReader::Fault>(reader.next()));
}

Packet random_packet(std::mt19937_64& random) {
  constexpr PacketCommand kAll[] = {can_do,    no_job, job_assign, work_status,    echo_res,
                                    work_fail, error,  work_data,  job_assign_uniq};
  Packet packet = response(kAll[random() % std::size(kAll)]);
  if (random() % 2 == 0) packet.magic = Magic::request;
  const std::size_t count = argument_count(packet.command);
  for (std::size_t i = 0; i < count; ++i) {
    std::string argument(random() % (i + 1 == count ? kData : kMostName), '\0');
    for (char& byte : argument) {
      do byte = static_cast<char>(random());
      while (i + 1 < count && byte == '\0');
    }
    packet.arguments.push_back(std::move(argument));
  }
  return packet;
}

TEST(GearmanReader, GivesBackWhatWasWritten) {
  std::mt19937_64 random(4730);
  for (int round = 0; round < 300; ++round) {
    std::vector<Packet> sent;
    std::string bytes;
    for (int i = 0; i < 5; ++i) bytes += encode(sent.emplace_back(random_packet(random)));
    const auto [packets, fault] = read_all(bytes, 1 + random() % 200);
    ASSERT_EQ(fault, "") << "round " << round;
    ASSERT_EQ(packets, sent) << "round " << round;
  }
}

TEST(GearmanReader, NeverGivesMoreThanItsLimitsWhateverComes) {
  std::mt19937_64 random(20121);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += encode(random_packet(random));
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
    for (const Packet& packet : read_all(bytes, 1 + random() % 500).first) {
      ASSERT_EQ(packet.arguments.size(), argument_count(packet.command));
      for (std::size_t i = 0; i + 1 < packet.arguments.size(); ++i) {
        ASSERT_LE(packet.arguments[i].size(), kMostName);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::gearman
