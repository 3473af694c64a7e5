import Foundation
import ORMObservation
import Workloads

/// The measurements of the mode.
extension ChangesBench {
  func insert(_ store: any ObservationOperations, _ detail: ChangeDetail) throws -> Time? {
    try store.clear()
    let counts = Arrivals<Int>()
    let hold = try store.listen(detail, counts.note)
    if detail != .none, hold == nil { return nil }
    let began = Time.now()
    try store.insert(rows.players)
    if detail.isRead { try counts.wait(for: rows.count) }
    let time = Time.now().since(began, units: rows.count)
    withExtendedLifetime(hold) {}
    return time
  }

  /// Commits of rows that are in the result of no observer but the one that counts all rows.
  func observe(
    _ store: any ObservationOperations, _ count: Int, _ commits: Int
  ) throws -> Time? {
    try store.clear()
    let counts = Arrivals<Int>()
    let first = Countdown(count)
    // Scores of players are not negative.
    let hold = try store.observe(scores: -Int64(count) - 1 ..< -1) { first.count() }
    let counter = try store.observeCount(counts.note)
    first.wait()
    try counts.wait(for: 0)
    let began = Time.now()
    for number in 1...commits {
      try store.save(PlayerData(id: Int64(number)))
      try counts.wait(for: number)
    }
    let time = Time.now().since(began, units: commits)
    withExtendedLifetime((hold, counter)) {}
    return time
  }

  func commit(_ store: any ObservationOperations) throws -> Time? {
    try store.clear()
    let began = Time.now()
    for number in 1...Self.commits { try store.save(PlayerData(id: Int64(number))) }
    return Time.now().since(began, units: Self.commits)
  }

  func changeRow(
    _ store: any ObservationOperations,
    observing observe: (@escaping @Sendable (Int64) -> Void) throws -> AnyObject?
  ) throws -> Time? {
    try store.clear()
    try store.insert(rows.players)
    let scores = Arrivals<Int64>()
    guard let hold = try observe(scores.note) else { return nil }
    var player = PlayerData(id: Int64(rows.count / 2))
    let top = Int64(1) << 40
    player.score = top
    try store.save(player)
    try scores.wait(for: top)
    let began = Time.now()
    for number in 1...Self.commits {
      player.score = top + Int64(number)
      try store.save(player)
      try scores.wait(for: player.score)
    }
    let time = Time.now().since(began, units: Self.commits)
    withExtendedLifetime(hold) {}
    return time
  }

  /// Changes rows all over the list in one transaction: one of two moves to the top.
  func changeRows(
    _ store: any ObservationOperations, _ count: Int, isObserved: Bool
  ) throws -> Time? {
    try store.clear()
    try store.insert(rows.players)
    let scores = Arrivals<Int64>()
    var hold: AnyObject?
    if isObserved {
      hold = try store.observeList(scores.note)
      if hold == nil { return nil }
    }
    let top = Int64(1) << 40
    var first = PlayerData(id: 1)
    first.score = top
    try store.save(first)
    if isObserved { try scores.wait(for: top) }
    let changed = (1...count).map { number in
      var player = PlayerData(id: Int64(number * (rows.count / count)))
      player.note = "changed"
      if number.isMultiple(of: 2) { player.score = top + Int64(number) }
      return player
    }
    let best = changed.map(\.score).max() ?? 0
    let began = Time.now()
    try store.save(changed)
    if isObserved { try scores.wait(for: best) }
    let time = Time.now().since(began, units: 1)
    withExtendedLifetime(hold) {}
    return time
  }

  /// The time from before a commit to the observed value after it, with pauses between commits: the
  /// processor's mean, and the 99th percentile of the clock's.
  func latency(_ store: any ObservationOperations) throws -> Time? {
    try store.clear()
    let counts = Arrivals<Int>()
    let hold = try store.observeCount(counts.note)
    try counts.wait(for: 0)
    var times: [Time] = []
    for number in 1...Self.latencies {
      Thread.sleep(forTimeInterval: 0.002)
      let began = Time.now()
      try store.save(PlayerData(id: Int64(number)))
      try counts.wait(for: number)
      times.append(Time.now().since(began, units: 1))
    }
    withExtendedLifetime(hold) {}
    let mean = times.map(\.cpu).reduce(0, +) / Double(times.count)
    return Time(cpu: mean, wall: times.map(\.wall).sorted()[times.count * 99 / 100])
  }

  func edit(
    _ store: any ObservationOperations, _ count: Int, inSession: Bool
  ) throws -> Time? {
    try store.clear()
    try store.insert(rows.players)
    let began = Time.now()
    guard try store.edit(count, inSession: inSession) else { return nil }
    return Time.now().since(began, units: count)
  }
}
