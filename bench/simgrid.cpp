// simgrid.cpp -- the ends of an all-to-all by SimGrid, another simulator of
// flows, beside ours.  Reads what 'sharing FILE' wrote; prints how long
// SimGrid takes and by how much the ends differ.
//
// SimGrid is told to share links by max-min fairness alone: no latency, no
// windows of TCP, no acknowledgements.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace s4u = simgrid::s4u;

struct Flow {
    s4u::Host *source, *destination;
    double end; // By us.
};

struct Case {
    std::uint64_t bytes;
    double seconds; // That we took.
    std::vector<Flow> flows;
};

static Case
read_case(std::istream &in)
{
    std::size_t n_hosts = 0, n_links = 0, n_flows = 0, n_hops = 0;
    double capacity = 0;
    Case read{};
    in >> n_hosts >> n_links >> n_flows >> n_hops >> capacity >> read.bytes >>
        read.seconds;
    if (!in) {
        return read;
    }

    s4u::NetZone *zone = s4u::create_full_zone("network");
    std::vector<s4u::Host *> hosts;
    std::vector<s4u::Link *> links;
    for (std::size_t h = 0; h < n_hosts; h++) {
        hosts.push_back(zone->create_host("h" + std::to_string(h), 1.0));
    }
    for (std::size_t l = 0; l < n_links; l++) {
        links.push_back(zone->create_link("l" + std::to_string(l), capacity));
    }
    for (std::size_t f = 0; f < n_flows && in; f++) {
        std::size_t source, destination, link;
        std::vector<s4u::LinkInRoute> path;
        double end;
        in >> source >> destination;
        for (std::size_t i = 0; i < n_hops && in >> link; i++) {
            path.emplace_back(links.at(link));
        }
        in >> end;
        read.flows.push_back({ hosts.at(source), hosts.at(destination), end });
        zone->add_route(hosts.at(source)->get_netpoint(),
                        hosts.at(destination)->get_netpoint(), nullptr,
                        nullptr, path, false);
    }
    zone->seal();
    return read;
}

// Sends everything at once; returns the largest difference of an end, as a
// part of it.
static double
send_all(const Case &read)
{
    std::vector<s4u::CommPtr> messages;
    for (const Flow &flow : read.flows) {
        messages.push_back(s4u::Comm::sendto_async(
            flow.source, flow.destination, read.bytes));
    }
    double worst = 0;
    for (std::size_t f = 0; f < messages.size(); f++) {
        messages[f]->wait();
        double end = messages[f]->get_finish_time();
        worst = std::max(worst, std::fabs(end / read.flows[f].end - 1));
    }
    return worst;
}

int
main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    std::ifstream in(argc > 1 ? argv[1] : "");
    s4u::Engine::set_config("network/model:CM02");
    s4u::Engine::set_config("network/TCP-gamma:0");
    s4u::Engine::set_config("network/crosstraffic:0");

    Case read = read_case(in);
    if (!in) {
        std::cerr << "simgrid: expected a file of 'sharing FILE'\n";
        return EXIT_FAILURE;
    }
    double worst = 0;
    s4u::Actor::create("sender", read.flows[0].source,
                       [&] { worst = send_all(read); });
    auto start = std::chrono::steady_clock::now();
    engine.run();
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - start;
    std::cout << read.flows.size() << " flows: " << 1e3 * read.seconds
              << " ms ours, " << 1e3 * took.count() << " ms SimGrid, ratio "
              << took.count() / read.seconds
              << ", ends differ by at most the part " << worst << "\n";
    return EXIT_SUCCESS;
}
