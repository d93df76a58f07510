"""What lldpcli prints on the switches and hosts of a network, made from a list
of cables: written from lldpcli's own output, apart from what reads it."""
import json
import os


def mac_of(number):
    """A MAC address for system 'number', locally administered."""
    return "02:5f:%02x:%02x:%02x:%02x" % tuple(
        number >> shift & 255 for shift in (24, 16, 8, 0))


class System:
    """A switch or a host: a name, an identity, and what it tells of itself."""

    def __init__(self, number, name, is_switch):
        self.mac, self.name, self.is_switch = mac_of(number), name, is_switch
        self.told = name  # What it calls itself to others.

    def chassis(self):
        """(id type, id, capabilities)."""
        return "mac", self.mac, [["Bridge", self.is_switch],
                                 ["Router", self.is_switch],
                                 ["Station", not self.is_switch]]


class Network:
    """Systems and cables.  A cable is two ends (name, port name)."""

    def __init__(self):
        self.systems, self.cables = {}, []
        self.silent = set()     # Systems that do not report,
        self.mute = set()       # and those that do not send.
        self.unheard = set()    # Ends that hear nothing.
        self.by_mac = set()     # Systems whose port ids are MAC addresses.
        self.alias = {}         # Port ids by (name, port).
        self.extra = {}         # Neighbours besides, by (name, port).

    def add(self, name, is_switch):
        """Adds a system."""
        self.systems[name] = System(len(self.systems) + 1, name, is_switch)

    def neighbours(self, name):
        """(port, system, far port) of what 'name' hears, sorted."""
        heard = []
        for a, b in self.cables:
            for here, there in ((a, b), (b, a)):
                if (here[0] == name and there[0] not in self.mute and
                        tuple(here) not in self.unheard):
                    heard.append((here[1], self.systems[there[0]], there[1]))
        heard += [(port, *other)
                  for (system, port), others in self.extra.items()
                  if system == name for other in others]
        return sorted(heard, key=lambda item: (item[0], item[1].mac))

    def port_id(self, system, port):
        """(type, id, description) of a port, as it sends them."""
        if system.name in self.by_mac:
            return "mac", system.mac[:-2] + "ff", port
        alias = self.alias.get((system.name, port))
        return ("local", alias, port) if alias else ("ifname", port, port)

    def json0(self, name):
        """What 'lldpcli -f json0 show neighbors' prints."""
        entries = []
        for rid, (port, system, far) in enumerate(self.neighbours(name), 1):
            kind, identity, capabilities = system.chassis()
            port_kind, port_id, descr = self.port_id(system, far)
            chassis = {"id": [{"type": kind, "value": identity}]}
            if system.told:
                chassis["name"] = [{"value": system.told}]
            chassis["descr"] = [{"value": "Debian GNU/Linux 12"}]
            chassis["capability"] = [{"type": what, "enabled": is_on}
                                     for what, is_on in capabilities]
            entries.append({
                "name": port, "via": "LLDP", "rid": str(rid),
                "age": "0 day, 00:01:00", "chassis": [chassis],
                "port": [{"id": [{"type": port_kind, "value": port_id}],
                          "descr": [{"value": descr}],
                          "ttl": [{"value": "120"}]}]})
        return {"lldp": [{"interface": entries} if entries else {}]}

    def json(self, name):
        """What 'lldpcli -f json show neighbors' prints."""
        entries = []
        for rid, (port, system, far) in enumerate(self.neighbours(name), 1):
            kind, identity, capabilities = system.chassis()
            port_kind, port_id, descr = self.port_id(system, far)
            chassis = {"id": {"type": kind, "value": identity},
                       "descr": "Debian GNU/Linux 12",
                       "capability": [{"type": what, "enabled": is_on}
                                      for what, is_on in capabilities]}
            entries.append({port: {
                "via": "LLDP", "rid": str(rid), "age": "0 day, 00:01:00",
                "chassis": {system.told: chassis} if system.told else chassis,
                "port": {"id": {"type": port_kind, "value": port_id},
                         "descr": descr, "ttl": "120"}}})
        if not entries:
            return {"lldp": {}}
        return {"lldp": {"interface":
                         entries[0] if len(entries) == 1 else entries}}

    def chassis0(self, name):
        """What 'lldpcli -f json0 show chassis' prints."""
        system = self.systems[name]
        kind, identity, _ = system.chassis()
        chassis = {"id": [{"type": kind, "value": identity}]}
        if system.told:
            chassis["name"] = [{"value": system.told}]
        return {"local-chassis": [{"chassis": [chassis]}]}

    def reporters(self):
        """The names of those that report."""
        return [name for name in self.systems if name not in self.silent]

    def write(self, folder, form="json0"):
        """Writes a file for each that reports."""
        os.makedirs(folder, exist_ok=True)
        for name in self.reporters():
            with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                json.dump(getattr(self, form)(name), file, indent=1)


def of_plan(path, with_hosts=True, reporting_hosts=False):
    """The network of a plan.json."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    network = Network()
    for node in plan["switches"]:
        network.add(node["name"], True)
    for node in plan["hosts"] if with_hosts else []:
        network.add(node["name"], False)
        if not reporting_hosts:
            network.silent.add(node["name"])
    for cable in plan["cables"]:
        ends = [[cable[end]["node"],
                 cable[end].get("port_name", "eth0")] for end in "ab"]
        if all(end[0] in network.systems for end in ends):
            network.cables.append(ends)
    return network
