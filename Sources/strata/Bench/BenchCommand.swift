#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// `strata bench URL`: the time that usual operations take on a store of this kind, at this location.
  struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "bench",
      abstract: "Measures inserts, finds, scans and changes on a new store of this kind.",
      discussion: """
        The store is made in a folder of its own beside the path, or in a namespace of its own of the \
        database, and removed with it: one that is there already is neither opened nor changed. Every commit is durable. Times are medians a \
        unit, of the processor and of the wall clock; the first run of each step is not counted.
        """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Argument(
      help:
        "The location of the new store, such as sqlite:bench.db.", transform: StoreArgument.init)
    var store: StoreArgument
    @Option(help: "The number of rows (1 to 10,000,000).") var rows = 10_000
    @Option(help: "The number of measured runs of each step (1 to 1,000).") var repetitions = 3
    @Option(help: "text or json.") var format = Format.text
    @Flag(
      help: """
        Count the requests of each step, the rows that the library read for them, and their trips to a \
        server: in a further run, on a store of its own.
        """)
    var requests = false
    @OptionGroup var log: LogOption

    func validate() throws {
      guard (1...10_000_000).contains(rows) else { throw ValidationError("rows: 1 to 10,000,000") }
      guard (1...1000).contains(repetitions) else {
        throw ValidationError("repetitions: 1 to 1,000")
      }
    }

    mutating func run() throws {
      let steps = BenchStep.all(rows: rows)
      var results = try onNewStore { opened in
        try steps.map { try measure($0, on: opened) }
      }
      if requests {
        // Not while the steps are measured, of which the instrument would be a part.
        let counter = BenchCounter()
        try onNewStore(counter) { opened in
          for (number, step) in steps.enumerated() {
            try step.prepare(opened)
            _ = counter.take()
            _ = try step.run(opened)
            results[number].counts = counter.take()
          }
        }
      }
      switch format {
      case .text: print(BenchResult.table(results))
      case .json:
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(results), as: UTF8.self))
      }
    }

    /// Runs a body with a new store, and removes the store.
    private func onNewStore<Result>(
      _ instrument: (any StoreInstrument)? = nil, _ body: (any Store) throws -> Result
    ) throws -> Result {
      let target = try BenchTarget(store.location)
      defer { target.remove() }
      var options = log.options
      if let instrument { options.instruments.append(instrument) }
      let opened = try target.location.open(schema: Schema(BenchRow.self), options: options)
      defer { try? opened.close() }
      return try body(opened)
    }

    private func measure(_ step: BenchStep, on store: any Store) throws -> BenchResult {
      var times: [(cpu: Double, wall: Duration)] = []
      for repetition in 0...repetitions {
        try step.prepare(store)
        let began = (cpu: Self.cpu, wall: ContinuousClock.now)
        let count = try step.run(store)
        if repetition > 0 { times.append((Self.cpu - began.cpu, began.wall.duration(to: .now))) }
        guard count == step.expected else {
          throw StoreError(
            .corrupt,
            "the step '\(step.name)' gave \(count) rows, and \(step.expected) were expected")
        }
      }
      func median(_ times: [Double]) -> Double {
        times.sorted()[times.count / 2] / Double(step.units)
      }
      return BenchResult(
        name: step.name, unit: step.unit, units: step.units, cpu: median(times.map(\.cpu)),
        wall: median(times.map { $0.wall / .seconds(1) }))
    }

    /// The processor's time of this process, in seconds.
    private static var cpu: Double {
      // POSIX fixes the clock's unit at a microsecond.
      Double(clock()) / 1_000_000
    }
  }
#endif
