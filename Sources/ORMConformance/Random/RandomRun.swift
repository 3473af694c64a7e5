internal import ORM
internal import ORMObservation
internal import ORMSessions

/// A kind of random trial: a store's operations beside those of a naive model, which shares no code with it.
///
/// The same seed does the same on every store. A store passes the kit when all of ``all`` pass, as
/// well as every case of ``ConformanceSuite``:
///
/// ```swift
/// for run in RandomRun.all {
///   try await run.run(run.usualCount, seed: seed, on: MyProvider())
/// }
/// ```
///
/// Engines change their plans at some numbers of rows. Among enough seeds, some rounds of each run
/// begin with as many, and a run whose entities were never on both sides of one fails.
public struct RandomRun: Sendable, CustomStringConvertible {
  /// A word for the run, such as `requests`.
  public let name: String
  /// The clauses of the contract that the run proves.
  public let clauses: [String]
  /// The number of trials that Strata's own tests make of each build, over all stores.
  public let usualCount: Int
  /// The largest number of trials that share a seed, and with it a store and its content.
  private let trialsPerSeed: Int
  private let body: @Sendable (RandomRound) throws -> Void

  /// Makes a kind of run from the work of one seed.
  init(
    _ name: String, _ clauses: [String], usualCount: Int, trialsPerSeed: Int = 1,
    _ body: @escaping @Sendable (RandomRound) throws -> Void
  ) {
    self.name = name
    self.clauses = clauses
    self.usualCount = usualCount
    self.trialsPerSeed = trialsPerSeed
    self.body = body
  }

  /// Every kind of run.
  public static let all: [RandomRun] = [
    requests, sequences, related, graphs, shapes, derived, validation, softDeletes, hierarchies,
    promises, changes, history, observations, lists, sessions, sessionHerds,
    linkedKeys, migrations,
  ]

  /// The name.
  public var description: String { name }

  /// Makes `count` trials on new stores of a provider; each seed's trials have the seed after it.
  ///
  /// - Throws: ``ConformanceFailure`` that names the seed, and the smallest trial found that differs
  ///   or the steps that led there.
  public func run(_ count: Int, seed: UInt64, on provider: any StoreProvider) async throws {
    try await offThePool {
      let seeds = max(1, (count + trialsPerSeed - 1) / trialsPerSeed)
      // Strata's own tests share a run among three stores.
      let sizes = RandomSizes(rounds: usualCount / trialsPerSeed / 3)
      var counts: Set<Int> = []
      for number in 0..<UInt64(seeds) {
        let seed = seed &+ number
        let round = RandomRound(
          seed: seed, count: min(count, trialsPerSeed), size: sizes.size(of: seed),
          provider: provider)
        try once(round)
        counts.formUnion(round.counts)
      }
      let missed = sizes.missed(by: seeds, with: counts)
      guard missed.isEmpty else {
        throw failure(
          seed, provider, "the sizes of \(seeds) rounds",
          expected: "entities with fewer rows than \(missed), and with as many",
          got: "from \(counts.min() ?? 0) to \(counts.max() ?? 0) rows")
      }
    }
  }

  /// Runs one seed; an error names the seed and the steps.
  private func once(_ round: RandomRound) throws {
    do {
      defer { round.closeQuietly() }
      try body(round)
      try round.close()
    } catch let failure as ConformanceFailure {
      throw failure
    } catch {
      let difference =
        error as? RandomDifference
        ?? RandomDifference("", expected: "what the contract says", got: "\(error)")
      throw failure(
        round.seed, round.provider,
        (round.steps + [difference.subject]).map { "\n  \($0)" }.joined(),
        expected: difference.expected, got: difference.got)
    }
  }

  private func failure(
    _ seed: UInt64, _ provider: any StoreProvider, _ subject: String, expected: String, got: String
  ) -> ConformanceFailure {
    ConformanceFailure(
      name: "random \(name), STRATA_SEED=\(seed)", clauses: clauses, store: provider.name,
      subject: subject, expected: expected, got: got, location: "RandomRun.\(name)")
  }
}

/// A round of a random run: the random numbers of one seed, its stores, and the steps so far.
final class RandomRound {
  let seed: UInt64
  /// The number of trials to make.
  let count: Int
  /// The number of rows that the round begins with; nil in a small round.
  let size: Int?
  let provider: any StoreProvider
  var random: SeededGenerator
  /// The numbers of rows that entities had when they were measured.
  var counts: Set<Int> = []
  /// The steps so far, for a person to repeat by hand.
  var steps: [String] = []
  private var stores: [any Store] = []
  /// Follow the stores by their change sets, in every other round.
  private var followers: [ChangeFollower] = []

  init(seed: UInt64, count: Int, size: Int?, provider: any StoreProvider) {
    self.seed = seed
    self.count = count
    self.size = size
    self.provider = provider
    random = SeededGenerator(seed: seed)
  }

  /// Opens a new store, which is closed at the end of the round.
  ///
  /// - Parameter isFilledBelow: True if the run writes through the seam, where no changes are recorded.
  func store(
    _ schema: Schema, durability: StoreOptions.Durability = .off, isFilledBelow: Bool = false,
    verifiesObservations: Bool = false
  ) throws -> any Store {
    var options = StoreOptions()
    options.durability = durability
    options.verifiesObservations = verifiesObservations
    let store = try provider.make(schema: schema, options: options)
    stores.append(store)
    if seed % 2 == 1, !isFilledBelow {
      followers.append(try ChangeFollower(store, level: .values))
    }
    return store
  }

  /// Closes a store of the round and opens its content again.
  func reopen(
    _ store: any Store, _ schema: Schema, options: StoreOptions
  ) throws -> any Store {
    let new = try provider.reopen(store, schema: schema, options: options)
    stores.removeAll { $0.runtime === store.runtime }
    stores.append(new)
    return new
  }

  /// Throws when a store is not sound.
  func check(_ store: any Store, decoding models: [any Persistable.Type] = []) throws {
    let report = try models.isEmpty ? store.check() : store.check(decoding: models)
    guard report.isSound else {
      throw RandomDifference("check()", expected: "no faults", got: "\(report)")
    }
  }

  func close() throws {
    defer { followers = [] }
    for follower in followers { try follower.check("the change sets of the round") }
    for store in stores { try measure(store) }
    let open = stores
    stores = []
    for store in open { try store.close() }
  }

  func closeQuietly() {
    followers = []
    for store in stores { try? store.close() }
    stores = []
  }
}

/// A store that gives something else than the naive model.
struct RandomDifference: Error {
  var subject: String
  var expected: String
  var got: String

  init(_ subject: String, expected: String, got: String) {
    self.subject = subject
    self.expected = expected
    self.got = got
  }

  /// Throws a difference unless both are equal.
  static func check<Value: Equatable>(
    _ subject: String, _ got: Value, _ expected: Value
  ) throws {
    guard got == expected else {
      throw RandomDifference(subject, expected: "\(expected)", got: "\(got)")
    }
  }

  /// Throws the first of two lists' elements that differ, or their lengths.
  static func check(lines got: [String], _ expected: [String], _ subject: String) throws {
    guard got != expected else { return }
    let index = zip(got, expected).enumerated().first { $1.0 != $1.1 }?.offset
    func text(_ lines: [String]) -> String {
      let index = index ?? min(got.count, expected.count)
      return index < lines.count ? lines[index] : "\(lines.count) lines"
    }
    throw RandomDifference(subject, expected: text(expected), got: text(got))
  }

  /// Throws unless a step was done by both, or refused by the store for one of the reasons that the
  /// naive model has.
  static func check(
    codes got: Set<StoreError.Code>, _ expected: Set<StoreError.Code>
  ) throws {
    func text(_ codes: Set<StoreError.Code>) -> String {
      codes.isEmpty ? "done" : codes.map(\.rawValue).sorted().joined(separator: " or ")
    }
    guard got.isEmpty ? expected.isEmpty : got.isSubset(of: expected) else {
      throw RandomDifference("outcome", expected: text(expected), got: text(got))
    }
  }
}

/// The error of a naive model for a step that the contract refuses.
protocol RandomRefusal: Error {
  /// The codes of which a store throws one.
  var codes: Set<StoreError.Code> { get }
}

extension RandomRound {
  /// Returns the codes with which a step is refused; none where it is done.
  static func codes(_ body: () throws -> Void) -> Set<StoreError.Code> {
    do {
      try body()
      return []
    } catch let refusal as any RandomRefusal {
      return refusal.codes
    } catch let error as StoreError {
      return [error.code]
    } catch {
      return [StoreError.Code(rawValue: "\(error)")]
    }
  }

  /// Returns the result of a step in words, or the code of its refusal.
  static func outcome(_ body: () throws -> Int) -> String {
    do {
      return "\(try body())"
    } catch let refusal as any RandomRefusal {
      return refusal.codes.map(\.rawValue).joined()
    } catch let error as StoreError {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }
}
