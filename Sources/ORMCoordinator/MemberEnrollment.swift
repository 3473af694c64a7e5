internal import ORMRows
internal import ORMStorage

/// Checks that the members of a coordinator belong together, and gives new ones their states.
struct MemberEnrollment {
  private let members: CoordinatorMembers
  private var layout: MemberLayout { members.layout }

  init(_ members: CoordinatorMembers) { self.members = members }

  /// Enrolls the members, and applies the entries of the journal that they lack.
  ///
  /// - Throws: `wrongStore`, `cannotOpen`, `schemaMismatch`; `UnfinishedMigration`.
  func run() throws {
    let states = try states()
    try checkJournal(states)
    if let unfinished = UnfinishedMigration(states, layout) { throw unfinished }
    if members.options.isReadOnly { return try checkReading(states) }
    let journal = try enrollJournal(states[layout.journal])
    try enrollOthers(states, journal)
    guard layout.isJournaled else { return }
    try Rerun.run(members.stores[layout.journal].runtime) {
      let writer = try members.stores[layout.journal].writer(WriteTurn())
      defer { writer.end() }
      try members.settle(writer)
    }
  }

  /// Reads the states, each after those that another process writes later.
  ///
  /// A first opening writes that of the journal's member, then those of the others, and then their names
  /// into the journal's. The journal's is read between two looks at the others, and again if one of them
  /// was found without it. So a state that is missing here was not written by an opening at the same
  /// time.
  private func states() throws -> [Int: MemberState] {
    var states: [Int: MemberState] = [:]
    let others = members.stores.indices.filter { $0 != layout.journal }
    let looks = others + [layout.journal] + others + [layout.journal] + others
    for member in looks where states[member] == nil {
      states[member] = try MemberRows.state(of: members.stores[member])
    }
    return states
  }

  /// Throws if the journal is elsewhere, or if a member is missing.
  private func checkJournal(_ states: [Int: MemberState]) throws {
    let name = layout.names[layout.journal]
    for (member, state) in states.sorted(by: { $0.key < $1.key })
    where layout.isDurable[member] && state.journal != name {
      throw StoreError(
        .schemaMismatch,
        "the journal lies in the configuration \(state.journal); put it before the other durable "
          + "ones, and keep its name")
    }
    try layout.check(states, missing: members.stores.indices.filter { states[$0] == nil }) {
      members.stores[$0].runtime.name
    }
  }

  private func checkReading(_ states: [Int: MemberState]) throws {
    guard let journal = states[layout.journal] else { return }
    for (member, state) in states where member != layout.journal && layout.isDurable[member] {
      try checkGroup(of: member, state, journal)
      if state.applied != journal.entries[layout.names[member]]?.last ?? 0 {
        members.degrade(
          member, StoreError(.readOnly, "the coordinator was opened read-only"))
      }
    }
  }

  private func checkGroup(
    of member: Int, _ state: MemberState, _ journal: MemberState
  ) throws {
    guard state.group != journal.group else { return }
    throw StoreError(
      .wrongStore, "the configuration \(layout.names[member]) belongs to another coordinator",
      store: members.stores[member].runtime.name)
  }

  /// Gives the journal's member a state.
  private func enrollJournal(_ state: MemberState?) throws -> MemberState {
    if let state { return state }
    var new = MemberState(
      group: .random(in: 1...Int64.max), journal: layout.names[layout.journal])
    try write(layout.journal) { writer in
      // Another process may have opened the coordinator first at the same time.
      if let state = try MemberRows.state(in: writer) {
        new = state
      } else {
        try MemberRows.put(new, by: writer)
      }
    }
    return new
  }

  /// Gives the other members states, and then notes the durable ones in the journal's.
  private func enrollOthers(_ states: [Int: MemberState], _ journal: MemberState) throws {
    var names: [String] = []
    for member in members.stores.indices where member != layout.journal {
      let name = layout.names[member]
      if layout.isDurable[member] { names.append(name) }
      if let state = states[member] {
        if layout.isDurable[member] { try checkGroup(of: member, state, journal) }
        if state.group == journal.group { continue }
      }
      var state = MemberState(group: journal.group, journal: journal.journal)
      // One that comes back without its state begins after the entries that it had before.
      state.applied = journal.entries[name]?.last ?? 0
      try write(member) { writer in
        if layout.isDurable[member], let other = try MemberRows.state(in: writer) {
          try checkGroup(of: member, other, journal)
          return
        }
        try MemberRows.put(state, by: writer)
      }
    }
    if names == journal.others { return }
    try write(layout.journal) { writer in
      guard var state = try MemberRows.state(in: writer), state.others != names else { return }
      state.others = names
      try MemberRows.put(state, by: writer)
    }
  }

  private func write(_ member: Int, _ body: (any StoreWriter) throws -> Void) throws {
    let store = members.stores[member]
    try StoreError.naming(store.runtime.name) {
      try Rerun.run(store.runtime) {
        let writer = try store.writer(WriteTurn())
        defer { writer.end() }
        try body(writer)
        try writer.commit()
      }
    }
  }
}
