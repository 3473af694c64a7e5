internal import ORM

extension RandomRun {
  /// Runs so many random sequences of writes to a hierarchy of entities, comparing after each step
  /// what every entity of it shows with a naive model.
  ///
  /// - Throws: `ConformanceFailure` naming the seed and the steps.
  public static func hierarchies(
    _ count: Int, seed: UInt64, on provider: any StoreProvider
  ) async throws {
    try await offThePool {
      for round in 0..<UInt64(max(1, count)) { try hierarchy(seed &+ round, provider) }
    }
  }

  private static func hierarchy(_ seed: UInt64, _ provider: any StoreProvider) throws {
    var random = RandomSource(seed: seed)
    let schema = try Schema(Vehicle.self, Car.self, SportsCar.self, Truck.self)
    let store = try provider.make(schema: schema, options: StoreOptions())
    var vehicles = NaiveVehicles()
    var steps: [VehicleStep] = []
    func check<Value: Equatable>(_ got: Value, _ expected: Value, _ subject: String) throws {
      guard got != expected else { return }
      throw ConformanceFailure(
        name: "random hierarchy, STRATA_SEED=\(seed)", clauses: ["5.1", "4.1"],
        store: provider.name, subject: steps.map { "\n  \($0)" }.joined() + "\n  \(subject)",
        expected: "\(expected)", got: "\(got)", place: "RandomVehicles")
    }
    do {
      for _ in 0..<25 {
        let step = VehicleStep.make(&random)
        steps.append(step)
        let expected = outcome { try step.run(on: &vehicles) }
        try check(outcome { try step.run(on: store) }, expected, "outcome")
        for kind in NaiveVehicles.Kind.allCases {
          let wanted = vehicles.rows(of: kind)
          try check(
            lines(of: kind, in: store), wanted.map { "\($0.id) \($0.row.seen(as: kind))" },
            kind.rawValue)
          try check(
            store.count(of: kind), wanted.count, "count of \(kind.rawValue)")
        }
        try check(
          store.fetchConcrete(Vehicle.all).map { "\(type(of: $0))" },
          vehicles.rows(of: .vehicle).map(\.row.kind.rawValue), "what they are")
      }
      let report = try store.check(decoding: [
        Vehicle.self, Car.self, SportsCar.self, Truck.self,
      ])
      try check(report.isSound, true, "\(report)")
    } catch {
      try? store.close()
      throw error
    }
    try store.close()
  }

  /// What a step gives, or the code of what it is refused for.
  private static func outcome(_ body: () throws -> Int) -> String {
    do {
      return "\(try body())"
    } catch let refusal as NaiveVehicles.Refusal {
      return refusal.code.rawValue
    } catch let error as StoreError {
      return error.code.rawValue
    } catch {
      return "\(error)"
    }
  }

  /// The rows that an entity shows, in words.
  private static func lines(
    of kind: NaiveVehicles.Kind, in store: any Store
  ) throws -> [String] {
    func text<Value>(_ value: Value?) -> String { value.map { "\($0)" } ?? "nil" }
    return switch kind {
    case .vehicle: try store.fetch(Vehicle.all).map { "\($0.id) \($0.name) \(text($0.wheels))" }
    case .car:
      try store.fetch(Car.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.doors) \(text($0.plate))"
      }
    case .sportsCar:
      try store.fetch(SportsCar.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.doors) \(text($0.plate)) \($0.speed)"
      }
    case .truck:
      try store.fetch(Truck.all).map {
        "\($0.id) \($0.name) \(text($0.wheels)) \($0.load)"
      }
    }
  }
}

extension Store {
  fileprivate func count(of kind: NaiveVehicles.Kind) throws -> Int {
    try read { try $0.count(DynamicQuery(kind.rawValue)) }
  }
}
