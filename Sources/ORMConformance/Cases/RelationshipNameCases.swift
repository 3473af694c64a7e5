internal import ORM
internal import ORMCoordinator
internal import ORMCore
internal import ORMMigrations
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 5.8, 7.5, 10.5 and 10.10: relationships of every form under other names, in the store and
  /// in the program.
  static let relationshipNames: [ConformanceCase] = [
    ConformanceCase(
      "links are stored under the stored names of relationships", "5.8", "7.6", "2.7"
    ) { context in
      for (number, form) in LinkForm.all.enumerated() where LinkForm.isChecked(number) {
        try NamedForm(form, context).checkStored()
      }
    },
    ConformanceCase("links follow the names in the store by a plan alone", "7.5", "10.5") {
      context in
      for (number, form) in LinkForm.all.enumerated() where LinkForm.isChecked(number + 1) {
        try NamedForm(form, context).checkPlan()
      }
    },
    ConformanceCase("a relationship that keeps its stored name keeps its links", "5.8", "7.5") {
      context in
      for (number, form) in LinkForm.all.enumerated() where LinkForm.isChecked(number + 2) {
        try NamedForm(form, context).checkUnchanged()
      }
    },
    ConformanceCase(
      "a renamed relationship in any form has its links for each program that is admitted",
      "10.5", "10.10", "10.6"
    ) { context in
      for (position, form) in LinkForm.all.enumerated() {
        if LinkForm.isChecked(position) { try NamedForm(form, context).checkRename(to: form) }
        for (number, other) in LinkForm.all.enumerated() where !form.common(with: other).isEmpty {
          // An eleventh of the changes has forms of each kind.
          guard number != position, (number + 3 * position) % 11 == 0, LinkForm.isChecked(number)
          else {
            continue
          }
          try NamedForm(form, context).checkRename(to: other)
        }
      }
    },
  ]
}

/// A form of a relationship under other names.
private struct NamedForm {
  let form: LinkForm
  let context: ConformanceContext
  private let links: NaiveLinks

  init(_ form: LinkForm, _ context: ConformanceContext) {
    self.form = form
    self.context = context
    links = NaiveLinks(form)
  }

  private func schema(_ spelling: LinkSpelling, version: Int) throws -> Schema {
    try Schema(joining: form.models(spelling).schema(), version: version)
  }

  private func filled(_ spelling: LinkSpelling) throws -> any Store {
    let store = try context.open(schema(spelling, version: 1))
    try form.models(spelling).fill(store, links)
    return store
  }

  /// Expects the links in a store that a form's models have opened.
  private func expect(
    _ links: NaiveLinks, as form: LinkForm, _ spelling: LinkSpelling, in store: any Store,
    _ note: String
  ) throws {
    let models = form.models(spelling)
    if let found = try models.targets(store) {
      let lists = form.left == .ordered ? found : found.mapValues { $0.sorted() }
      try context.expectEqual(lists, links.sorted(as: form).targets, "\(self.form): \(note)")
    }
    if let found = try models.owners(store) {
      let lists = form.right == .ordered ? found : found.mapValues { $0.sorted() }
      try context.expectEqual(lists, links.sorted(as: form).owners, "\(self.form): \(note)")
    }
    let faults = try store.check().faults
    try context.expect(faults.isEmpty, "\(self.form): \(note): \(faults)")
  }

  // MARK: Names in the store

  /// The entity and a column that hold the links under stored names, by the rule of
  /// `RelationshipDescription`.
  private var location: (entity: String, column: String) {
    switch form.location {
    case "Bond": ("Bond", "rights_id")
    case "Right_l": ("Right_ls", "ls_id")
    case "Left_r": ("Left_rs", "rs_id")
    case "Left.r_id": ("Left", "rs_id")
    case "Right.l_id": ("Right", "ls_id")
    case "Right._Left_r_id": ("Right", "_Left_rs_id")
    default: ("Left", "_Right_ls_id")
    }
  }

  func checkStored() throws {
    var store = try filled(.stored)
    let columns = try context.unwrap(store.schema[location.entity], "\(form): \(location)").columns
    try context.expect(columns.contains { $0.name == location.column }, "\(form): \(columns)")
    let names = store.schema.entities.flatMap { [$0.name] + $0.columns.map(\.name) }
    let plain = names.filter { $0 == "r_id" || $0 == "l_id" || $0.contains("_r_") }
    try context.expectEqual(plain, [], "\(form)")
    try expect(links, as: form, .stored, in: store, "stored")
    // By names, with the schema that the store has.
    store = try context.reopen(store, Schema(schema(.stored, version: 1).stored))
    if let end = form.left {
      let path = end == .one ? "r.id" : "ANY r.id"
      let query = try DynamicQuery("Left", in: store.schema, where: "\(path) == 1")
      let found = try store.read { try $0.fetch(query) }.map { $0["id"] }
      let wanted = links.targets.filter { $0.value.contains(1) }.keys.sorted()
      try context.expectSame(found, wanted.map { .int($0) }, "\(form)")
    }
    store = try context.reopen(store, schema(.stored, version: 1))
    try expect(links, as: form, .stored, in: store, "opened again")
    try store.close()
  }

  func checkPlan() throws {
    var store = try filled(.plain)
    let isNamed = form.isNamedByLeft || form.isNamedByRight || form.storage == .through
    if isNamed {
      let error = try context.expectError(.schemaMismatch, "\(form)") {
        try context.reopen(store, schema(.stored, version: 2))
      }
      try context.expect(!error.failures.isEmpty, "\(form)")
    }
    for spelling in [LinkSpelling.stored, .plain] {
      let version = spelling == .stored ? 2 : 3
      let plan = MigrationPlan((2...version).map { .version($0, []) })
      store = try context.reopen(
        store, schema(spelling, version: version), options: .migrating(plan))
      try expect(links, as: form, spelling, in: store, "by a plan")
    }
    try store.close()
  }

  func checkUnchanged() throws {
    var store = try filled(.plain)
    store = try context.reopen(store, schema(.unchanged, version: 1))
    try expect(links, as: form, .unchanged, in: store, "renamed in the program")
    store = try context.reopen(store, schema(.plain, version: 1))
    try expect(links, as: form, .plain, in: store, "and back")
    try store.close()
  }

  // MARK: Names in the program

  /// Renames the relationships that both forms have, with aliases, and lets programs of both versions
  /// open the store in turn.
  func checkRename(to other: LinkForm) throws {
    let common = form.common(with: other)
    let isByLeft = common.contains("Left.r")
    var steps: [MigrationStep] = []
    if isByLeft { steps.append(.renameRelationship("r", to: "x", in: "Left", alias: true)) }
    if common.contains("Right.l") {
      steps.append(.renameRelationship("l", to: "y", in: "Right", alias: true))
    }
    if other.description != form.description {
      steps.append(
        .moveLinks(of: isByLeft ? "x" : "y", in: isByLeft ? "Left" : "Right", surplus: .keepFirst))
    }
    let wanted = links.limited(to: other, byLeft: isByLeft).links.sorted(as: form)
    let newer = try Schema(joining: other.models(.renamed).schema(), version: 2)
    var store = try filled(.plain)
    store = try context.reopen(
      store, newer, options: .migrating(MigrationPlan([.version(2, steps)])))
    try expect(wanted, as: other, .renamed, in: store, "as \(other), renamed")
    do {
      let older = try context.reopen(store, schema(.plain, version: 1))
      // A program that is admitted finds all links, and its own are found afterwards.
      try expect(links, as: form, .plain, in: older, "beside \(other)")
      try context.expectEqual(other.description, form.description, "moved links admit none")
      try context.expect(!(older is StoreCoordinator), "a coordinator admits none")
      try unlinkFirst(in: older)
      store = try context.reopen(older, newer)
      var rest = wanted
      rest.unlink(1)
      try expect(rest, as: other, .renamed, in: store, "after the older program")
    } catch let error as StoreError where error.code == .schemaTooNew {
      try context.expect(
        store is StoreCoordinator || other.description != form.description,
        "\(form): an alias admits the older program: \(error)")
      store = try context.reopen(store, newer)
      try expect(wanted, as: other, .renamed, in: store, "after a refusal")
    }
    try store.close()
  }

  /// Deletes the first `Left` with its links.
  private func unlinkFirst(in store: any Store) throws {
    try store.write { tx in
      if form.storage == .through {
        _ = try tx.delete(DynamicQuery("Bond", in: store.schema, where: "left_id == 1"))
      }
      _ = try tx.delete(DynamicQuery("Left", in: store.schema, where: "id == 1"))
    }
  }
}

extension NaiveLinks {
  /// Removes a `Left` and its links.
  fileprivate mutating func unlink(_ left: Int64) {
    targets[left] = nil
    owners = owners.mapValues { $0.filter { $0 != left } }
  }
}
