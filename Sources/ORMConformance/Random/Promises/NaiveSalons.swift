internal import FoundationEssentials
internal import ORM

/// The naive model of salons and exhibits, straight from the contract.
///
/// It runs beside random sequences of everything that models promise.
struct NaiveSalons {
  /// The time at which a row was hidden.
  enum Hiding: Hashable {
    /// Hiding by an operation, which has a number.
    case operation(Int)
    /// Hiding by a date that the program set.
    case date(Date)
  }

  struct SalonRow: Hashable {
    var name: String
    var touched = 0
    var version = 0
    /// The number of the operation that changed it last; 0 where timestamps are not recorded.
    var changed = 0
    var hidden: Hiding?
  }

  struct ExhibitRow: Hashable {
    var title: String
    var worth: Int
    var most: Int
    var mount: Mount?
    var image: Data?
    var touched = 0
    var version = 0
    var created = 0
    var changed = 0
    var hidden: Hiding?
    var salon: Int64?
  }

  /// The options that the store of a round was opened with.
  struct Setup {
    /// True if the store knows the Swift types, so that hooks and checks by code are asked.
    var hasTypes: Bool
    var hasVersions: Bool
    var hasTimestamps: Bool
  }

  let setup: Setup
  var salons: [Int64: SalonRow] = [:]
  var exhibits: [Int64: ExhibitRow] = [:]
  /// The reports of hooks, operation by operation.
  var reports: [String] = []
  /// The number of the operation.
  var operation = 0
  /// The faults of the operation.
  var faults: Set<String> = []
  /// The rules that objects break in the operation.
  private var rules: [String: [String]] = [:]

  init(_ setup: Setup) { self.setup = setup }

  /// Exhibits that can be seen.
  var seen: [Int64: ExhibitRow] { exhibits.filter { $0.value.hidden == nil } }

  func isSeen(salon: Int64) -> Bool { salons[salon].map { $0.hidden == nil } ?? false }

  mutating func fault(_ name: String) { faults.insert(name) }

  private mutating func report(_ text: String) { if setup.hasTypes { reports.append(text) } }

  private mutating func broken(_ entity: String, _ key: Int64, _ rules: [String]) {
    if !rules.isEmpty { self.rules["\(entity) \(key)", default: []] += rules }
  }

  /// Writes exhibits, each once, as they are meant to be; nil goes.
  mutating func write(_ rows: [Int64: ExhibitRow?], keepingTouched: Bool = false) {
    for (id, meant) in rows.sorted(by: { $0.key < $1.key }) {
      let old = exhibits[id]
      guard var row = meant else {
        if let old { remove(old, id) }
        continue
      }
      if let old {
        if setup.hasVersions { row.version = old.version }
        row.created = old.created
        row.changed = old.changed
        if row == old { continue }
      }
      if setup.hasTypes {
        if row.title == "no" { fault("hook") }
        row.touched = (old?.touched ?? 0) + 1
      }
      if setup.hasVersions { row.version = (old?.version ?? 0) + 1 }
      if setup.hasTimestamps {
        row.changed = operation
        if old == nil { row.created = operation }
      }
      var rules: [String] = []
      if !(1...5).contains(row.title.unicodeScalars.count) { rules.append("length") }
      if !(0...9).contains(row.worth) { rules.append("range") }
      if row.most < row.worth { rules.append("most") }
      if let mount = row.mount {
        if mount.width < 1 { rules.append("range") }
        if mount.height < mount.width { rules.append("upright") }
      }
      if setup.hasTypes, let old, old.title == "sold", old.worth != row.worth {
        rules.append("sold")
      }
      broken("Exhibit", id, rules)
      report("\(old == nil ? "insert" : "update") Exhibit \(id) \(row.touched)")
      exhibits[id] = row
    }
  }

  private mutating func remove(_ old: ExhibitRow, _ id: Int64) {
    if setup.hasTypes {
      if old.title == "keep" { fault("hook") }
      if old.title == "sold" { broken("Exhibit", id, ["sold"]) }
    }
    report("delete Exhibit \(id) \(old.touched)")
    exhibits[id] = nil
  }

  /// The same of salons.
  mutating func write(_ rows: [Int64: SalonRow?]) {
    for (id, meant) in rows.sorted(by: { $0.key < $1.key }) {
      let old = salons[id]
      guard var row = meant else {
        guard let old else { continue }
        if setup.hasTypes, old.name == "keep" { fault("hook") }
        report("delete Salon \(id) \(old.touched)")
        salons[id] = nil
        continue
      }
      if let old {
        if setup.hasVersions { row.version = old.version }
        row.changed = old.changed
        if row == old { continue }
      }
      if setup.hasTypes { row.touched = (old?.touched ?? 0) + 1 }
      if setup.hasVersions { row.version = (old?.version ?? 0) + 1 }
      if setup.hasTimestamps { row.changed = operation }
      broken("Salon", id, (1...4).contains(row.name.unicodeScalars.count) ? [] : ["length"])
      report("\(old == nil ? "insert" : "update") Salon \(id) \(row.touched)")
      salons[id] = row
    }
  }

  /// Does an operation, all of it or nothing.
  mutating func attempt(_ body: (inout NaiveSalons) -> Int) -> Result<Int, NaiveRefusal> {
    var after = self
    after.operation += 1
    after.faults = []
    let count = body(&after)
    for (id, salon) in after.salons where salon.hidden == nil {
      if after.seen.values.count(where: { $0.salon == id }) > 3 {
        after.broken("Salon", id, ["count"])
      }
    }
    for (object, rules) in after.rules {
      after.fault("validationFailed \(object) \(rules.sorted().joined(separator: ", "))")
    }
    after.rules = [:]
    operation += 1
    if !after.faults.isEmpty { return .failure(NaiveRefusal(faults: after.faults)) }
    self = after
    return .success(count)
  }
}

/// Everything that an operation may be refused for; any one of it is reported.
struct NaiveRefusal: Error {
  var faults: Set<String>
}
