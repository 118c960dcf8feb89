#include "metrics/statsd_sender.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>

#include "metrics/statsd.h"
#include "snapshot.h"

namespace sluice {
namespace {

using std::chrono::steady_clock;

// A statsd that discards everything: a bound UDP socket on 127.0.0.1.
class Listener {
 public:
  // Below the ephemeral ports: the kernel could give a sender this port while it is free, and the
  // sender would then talk to itself.
  Listener() : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const int first = 20000 + ::getpid() % 5000;
    for (int port = first; port < first + 5000 && !bound_; ++port) {
      bind_to(static_cast<std::uint16_t>(port));
    }
  }
  explicit Listener(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    bind_to(port);
  }
  ~Listener() { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  bool bound() const { return bound_; }
  std::uint16_t port() const { return port_; }

  // The next datagram; empty if none arrived in time.
  std::string receive(std::chrono::milliseconds within) {
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(within.count())) <= 0) return "";
    std::string datagram(65536, '\0');
    const ssize_t size = ::recv(fd_, datagram.data(), datagram.size(), 0);
    datagram.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return datagram;
  }

 private:
  void bind_to(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    bound_ = ::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    port_ = port;
  }

  int fd_;
  bool bound_ = false;
  std::uint16_t port_ = 0;
};

std::string at(const std::string& host, std::uint16_t port) {
  return host + ":" + std::to_string(port);
}

// Sends until something arrives, as repeated flushes would.
bool arrives(StatsdSender& sender, Listener& listener) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(20);
  while (steady_clock::now() < deadline) {
    sender.send({"x:1|c"});
    if (listener.receive(std::chrono::milliseconds(20)) == "x:1|c") return true;
  }
  return false;
}

class StatsdSenderNames : public ::testing::TestWithParam<StatsdNames> {};

TEST_P(StatsdSenderNames, ArePutOnTheWireAsTheyAre) {
  Listener statsd;
  StatsdOptions options;
  options.names = GetParam();
  const auto datagrams = statsd_datagrams(busy_status(), Status{}, options, "host");
  StatsdSender sender(at("127.0.0.1", statsd.port()));
  sender.send(datagrams);
  for (const std::string& datagram : datagrams) {
    EXPECT_EQ(statsd.receive(std::chrono::seconds(10)), datagram);
  }
  EXPECT_EQ(sender.failures(), 0u);
}

INSTANTIATE_TEST_SUITE_P(BothSets, StatsdSenderNames,
                         ::testing::Values(StatsdNames::sluice, StatsdNames::zuul),
                         [](const auto& set) {
                           return set.param == StatsdNames::zuul ? "zuul" : "sluice";
                         });

TEST(StatsdSender, LooksUpAName) {
  addrinfo* found = nullptr;
  const int problem = getaddrinfo("localhost", nullptr, nullptr, &found);
  if (problem != 0)
    GTEST_SKIP() << "this machine does not know localhost: " << gai_strerror(problem);
  freeaddrinfo(found);
  Listener statsd;
  StatsdSender sender(at("localhost", statsd.port()));
  EXPECT_TRUE(arrives(sender, statsd)) << "also where localhost is ::1 first";
}

TEST(StatsdSender, DropsAndCountsWhileNobodyListensAndRecovers) {
  std::uint16_t port = 0;
  {
    Listener gone;
    port = gone.port();
  }
  StatsdSender sender(at("127.0.0.1", port));
  const auto began = steady_clock::now();
  for (int i = 0; i < 1000; ++i) sender.send({"x:1|c", "y:1|c"});
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_GT(sender.failures(), 0u);

  Listener back(port);
  if (!back.bound()) GTEST_SKIP() << "somebody else took port " << port << " meanwhile";
  EXPECT_TRUE(arrives(sender, back));
  const std::uint64_t failures = sender.failures();
  for (int i = 0; i < 10; ++i) {
    sender.send({"z:1|c"});
    EXPECT_EQ(back.receive(std::chrono::seconds(10)), "z:1|c");
  }
  EXPECT_EQ(sender.failures(), failures);
}

TEST(StatsdSender, FirstFlushAfterTheReturnIsComplete) {
  std::uint16_t port = 0;
  {
    Listener gone;
    port = gone.port();
  }
  StatsdSender sender(at("127.0.0.1", port));
  sender.send({"lost:1|c"});
  Listener back(port);
  if (!back.bound()) GTEST_SKIP() << "somebody else took port " << port << " meanwhile";
  sender.send({"first:1|c", "second:1|c"});
  EXPECT_EQ(back.receive(std::chrono::seconds(10)), "first:1|c");
  EXPECT_EQ(back.receive(std::chrono::seconds(10)), "second:1|c");
}

TEST(StatsdSender, DoesNotWaitForANameThatNobodyKnows) {
  const auto began = steady_clock::now();
  {
    StatsdSender sender("no-such-host.invalid:8125");
    for (int i = 0; i < 100; ++i) sender.send({"x:1|c"});
    EXPECT_EQ(sender.failures(), 100u);
  }
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(2));
}

SocketAddress loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  SocketAddress made;
  std::memcpy(&made.bytes, &address, sizeof address);
  made.size = sizeof address;
  return made;
}

TEST(StatsdSender, DoesNotWaitForANameServerThatHangsNorAtItsEnd) {
  std::promise<void> answer;
  const std::shared_future<void> answered = answer.get_future().share();
  const auto began = steady_clock::now();
  {
    StatsdSender sender("statsd.example.org:8125", [answered](const HostPort&) {
      answered.wait();
      return std::vector<SocketAddress>();
    });
    sender.send({"x:1|c", "y:1|c"});
    EXPECT_EQ(sender.failures(), 2u);
  }
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(5));
  answer.set_value();
}

TEST(StatsdSender, TriesTheNextAddressWhereOneRefuses) {
  std::uint16_t refusing = 0;
  {
    Listener gone;
    refusing = gone.port();
  }
  Listener statsd(static_cast<std::uint16_t>(refusing + 1));
  if (!statsd.bound()) GTEST_SKIP() << "port " << refusing + 1 << " is taken";
  StatsdSender sender("statsd.example.org:8125", [=, port = statsd.port()](const HostPort&) {
    return std::vector{loopback(refusing), loopback(port)};
  });
  EXPECT_TRUE(arrives(sender, statsd));
}

TEST(StatsdSender, LooksTheNameUpAgainWhenItMoved) {
  std::uint16_t old_port = 0;
  {
    Listener gone;
    old_port = gone.port();
  }
  Listener moved(static_cast<std::uint16_t>(old_port + 1));
  if (!moved.bound()) GTEST_SKIP() << "port " << old_port + 1 << " is taken";
  auto asked = std::make_shared<std::atomic<int>>(0);
  StatsdSender sender("statsd.example.org:8125", [=, port = moved.port()](const HostPort&) {
    return std::vector<SocketAddress>{loopback((*asked)++ == 0 ? old_port : port)};
  });
  EXPECT_TRUE(arrives(sender, moved));
  EXPECT_EQ(*asked, 2);
}

TEST(StatsdSender, RefusesWhatIsNoAddress) {
  EXPECT_THROW(StatsdSender("8125"), std::invalid_argument);
  EXPECT_THROW(StatsdSender("host:"), std::invalid_argument);
}

TEST(StatsdSender, TakesAnIpv6Address) {
  EXPECT_NO_THROW(StatsdSender("[::1]:8125").send({"x:1|c"}));
}

}  // namespace
}  // namespace sluice
