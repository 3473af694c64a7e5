internal import Foundation
internal import ORM
internal import ORMMigrations

extension ConformanceCase {
  /// Clauses 7.5 and 10.5: every form of a relationship that becomes any other, with and without the
  /// step that moves its links.
  static let relationshipShapes: [ConformanceCase] = LinkForm.all.enumerated().map {
    position, form in
    ConformanceCase(
      "a relationship in another form has its links or is refused: \(form)", "7.5", "10.5", "10.6"
    ) { context in
      for (number, other) in LinkForm.all.enumerated() where !form.common(with: other).isEmpty {
        guard LinkForm.isChecked(position + number) else { continue }
        try FormChange(from: form, to: other, context).check()
      }
    }
  }
}

extension LinkForm {
  /// Returns whether a run checks the form or the change with this number.
  ///
  /// Runs of less than the usual size check a third of them, chosen by the seed.
  static func isChecked(_ number: Int) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    let scale = environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1
    let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? 0
    return scale >= 1 || (UInt64(number) &+ seed) % 3 == 0
  }
}

/// A relationship that is declared in another form.
private struct FormChange {
  let form: LinkForm
  let other: LinkForm
  let context: ConformanceContext
  private let links: NaiveLinks
  /// True if the step names the relationship of `Left`.
  private let isByLeft: Bool

  private var change: String { "\(form) becomes \(other)" }

  init(from form: LinkForm, to other: LinkForm, _ context: ConformanceContext) {
    self.form = form
    self.other = other
    self.context = context
    links = NaiveLinks(form)
    isByLeft = form.common(with: other).contains("Left.r")
  }

  func check() throws {
    let outcome = links.limited(to: other, byLeft: isByLeft)
    var store = try context.open(Schema(joining: form.models.schema(), version: 1))
    try form.models.fill(store, links)
    let schema = try Schema(joining: other.models.schema(), version: 2)
    // Without the step, links are found where they are, and are not lost in silence.
    let lost = form.lost(in: other)
    if lost.isEmpty && outcome.surplus.isEmpty {
      store = try context.reopen(store, schema)
      try expect(links, in: store)
      try store.close()
      store = try context.open(Schema(joining: form.models.schema(), version: 1))
      try form.models.fill(store, links)
    } else {
      let error = try context.expectError(.schemaMismatch, change) {
        try context.reopen(store, schema)
      }
      if !lost.isEmpty {
        let named = error.failures.map { "\($0.entity ?? "").\($0.attributes.joined())" }
        try context.expectEqual(Set(named), lost, change)
      }
    }
    if !outcome.surplus.isEmpty {
      let error = try context.expectError(.migrationFailed, change) {
        try context.reopen(store, schema, options: .migrating(plan(.throw)))
      }
      try expect(outcome.surplus, in: error)
    }
    store = try context.reopen(store, schema, options: .migrating(plan(.keepFirst)))
    try expect(outcome.links, in: store)
    try store.close()
  }

  private func plan(_ surplus: MigrationStep.SurplusLinks) -> MigrationPlan {
    MigrationPlan([
      .version(
        2, [.moveLinks(of: isByLeft ? "r" : "l", in: isByLeft ? "Left" : "Right", surplus: surplus)]
      )
    ])
  }

  /// The links have the order that they had, or that of their keys if they had none.
  private func expect(_ links: NaiveLinks, in store: any Store) throws {
    let wanted = links.sorted(as: form).sorted(as: other)
    if let found = try other.models.targets(store) {
      let isOrdered = other.left == .ordered
      try context.expectEqual(
        isOrdered ? found : found.mapValues { $0.sorted() }, wanted.targets, "r, if \(change)")
    }
    if let found = try other.models.owners(store) {
      let isOrdered = other.right == .ordered
      try context.expectEqual(
        isOrdered ? found : found.mapValues { $0.sorted() }, wanted.owners, "l, if \(change)")
    }
    let faults = try store.check().faults
    try context.expect(faults.isEmpty, "\(faults), if \(change)")
  }

  /// The failure names each object that has more links than it may, and a relationship that it has.
  private func expect(_ surplus: Set<NaiveLinks.Surplus>, in error: StoreError) throws {
    var rest = [error]
    var found: [StoreError] = []
    while let next = rest.popLast() {
      rest += next.failures
      if next.code == .countOutOfRange && next.failures.isEmpty { found.append(next) }
    }
    try context.expectEqual(
      Set(
        found.compactMap { failure in
          guard case .int(let key)? = failure.key.first else { return nil }
          return NaiveLinks.Surplus(entity: failure.entity ?? "", key: key)
        }), surplus, change)
    for failure in found {
      let (end, name) = failure.entity == "Left" ? (other.left, "r") : (other.right, "l")
      try context.expectEqual(failure.attributes, end == nil ? [] : [name], change)
    }
  }
}
