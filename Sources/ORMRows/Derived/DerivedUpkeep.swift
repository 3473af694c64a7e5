internal import ORMStorage

/// An update of derived attributes after rows were written.
///
/// Owners are read and written in lists of keys. Exact differences are added up; for
/// other owners, the aggregate is computed again as a program would request it.
package struct DerivedUpkeep {
  private let writer: DerivedWriter
  /// A reader that knows subentities, by which owners, targets and links are requested.
  private let reader: any StoreReader
  /// A writer that knows subentities, by which owners are written.
  private let sink: any StoreWriter

  package init(writer: DerivedWriter) {
    self.writer = writer
    reader = writer.subentities.map { SubentityReader(writer.base, $0) } ?? writer.base
    sink = writer.subentities.map { SubentityWriter(writer, $0) } ?? writer
  }

  /// Updates the attributes that are derived of the rows changed by one write.
  func keep(_ changes: DerivedChanges) throws {
    if changes.isEmpty { return }
    for (index, target) in changes.feeds.targets.enumerated() {
      if let owners = changes.owners[index] { try keep(target.link, owners) }
      if let targets = changes.targets[index] { try keep(target.link, targets: targets) }
    }
    for (index, ends) in changes.feeds.links.enumerated() {
      if let links = changes.links[index] { try keep(ends.link, links: links) }
    }
    if changes.inserted.isEmpty { return }
    for link in changes.feeds.own { _ = try refresh(link, changes.inserted) }
  }

  /// Resets the attributes derived of a to-many to those of an empty one, for every owner.
  func empty(_ link: DerivedLink) throws {
    let changesBefore = writer.changeCount
    let count = try sink.apply(
      .update(
        FetchRequest(of: link.owner),
        link.attributes.map { .init(column: $0.column, value: .value($0.empty)) }))
    if count > 0, changesBefore == nil || writer.changeCount != changesBefore {
      writer.transaction?.didChange(link.owner)
    }
  }

  /// Computes the attributes derived of a to-many again from its targets; gives the number of owners with
  /// wrong ones.
  func refresh(_ link: DerivedLink, _ owners: [[StoredValue]]) throws -> Int {
    var written: [DerivedOwner] = []
    for owner in try link.owners(owners, asking: true, in: reader) where !owner.isRight {
      written.append(try link.checked(owner))
    }
    try write(written, link)
    return written.count
  }

  /// Updates the owners of targets that changed, to which join rows lead.
  private func keep(_ link: DerivedLink, targets: [DerivedChanges.Target]) throws {
    guard case .between(let join, let here, let there) = link.location else { return }
    let hidden = join.deletedAt
    let rows = try reader.values(
      of: join, where: there, in: distinct(targets.map(\.key)),
      output: there + here + (hidden.map { [$0] } ?? []))
    let changed = Dictionary(grouping: targets) { GroupKey($0.key) }
    var owners = DerivedOwners()
    for row in rows where hidden == nil || row.last?.isNull == true {
      let owner = Array(row[there.count..<there.count + here.count])
      for target in changed[GroupKey(Array(row.prefix(there.count)))] ?? [] {
        if let old = target.old, let new = target.new {
          owners.noteChange(old, new, owner: owner, link)
        } else if let old = target.old {
          owners.note(old, came: false, owner: owner, link)
        } else if let new = target.new {
          owners.note(new, came: true, owner: owner, link)
        }
      }
    }
    try keep(link, owners)
  }

  /// Updates the owners of join rows that changed: a target counts if it exists and is not hidden (clause
  /// 2.9).
  private func keep(_ link: DerivedLink, links: [DerivedChanges.Link]) throws {
    let target = link.target
    let hidden = target.deletedAt
    let sources = link.attributes.map(\.source)
    let keys = links.map(\.target).filter { !$0.contains(where: \.isNull) }
    let rows = try reader.values(
      of: target, where: target.key, in: distinct(keys),
      output: target.key + (hidden.map { [$0] } ?? []) + sources.compactMap(\.self))
    var known: [GroupKey: [StoredValue]] = [:]
    for row in rows where hidden == nil || row[target.key.count].isNull {
      var rest = row.dropFirst(target.key.count + (hidden == nil ? 0 : 1))
      known[GroupKey(Array(row.prefix(target.key.count)))] = sources.map { source in
        source == nil ? .null : rest.popFirst() ?? .null
      }
    }
    var owners = DerivedOwners()
    for row in links {
      guard let values = known[GroupKey(row.target)] else { continue }
      owners.note(values, came: row.came, owner: row.owner, link)
    }
    try keep(link, owners)
  }

  private func keep(_ link: DerivedLink, _ owners: DerivedOwners) throws {
    let changed = owners.changed
    if changed.isEmpty { return }
    if changed.count == 1, let addition = link.addition,
      case let differences = changed[0].deltas.compactMap(\.small),
      differences.count == link.attributes.count
    {
      let request = FetchRequest(
        addition.shape, bindings: changed[0].key + differences.map { .int($0) })
      do {
        if try sink.apply(.update(request, addition.assignments)) > 0 {
          writer.transaction?.didChange(link.owner)
        }
      } catch let error as StoreError {
        throw error.filling(entity: link.owner.modelName, key: changed[0].key)
      }
      return
    }
    let deltas = Dictionary(
      changed.map { (GroupKey($0.key), $0.deltas) }, uniquingKeysWith: { first, _ in first })
    var written: [DerivedOwner] = []
    var asked: [[StoredValue]] = []
    for var owner in try link.owners(changed.map(\.key), asking: false, in: reader) {
      guard let deltas = deltas[GroupKey(owner.key)] else { continue }
      var isKnown = true
      for (index, attribute) in link.attributes.enumerated() {
        do {
          let value = try deltas[index].applied(to: owner.known[index], attribute.type)
          if let value { owner.wanted[index] = value } else { isKnown = false }
        } catch let error as StoreError {
          throw error.filling(
            entity: link.owner.modelName, key: owner.key,
            attributes: [link.owner.columns[attribute.column].attribute])
        }
      }
      if !isKnown { asked.append(owner.key) } else if !owner.isRight { written.append(owner) }
    }
    try write(written, link)
    if !asked.isEmpty { _ = try refresh(link, asked) }
  }

  private func write(_ owners: [DerivedOwner], _ link: DerivedLink) throws {
    if owners.isEmpty { return }
    let given = link.owner.key + link.columns
    let columns = given.sorted()
    let order = columns.map { given.firstIndex(of: $0) ?? 0 }
    let rows = owners.map { owner in
      let values = owner.key + owner.wanted
      return order.map { values[$0] }
    }
    try sink.put(rows, in: columns, of: link.owner, .update)
    writer.transaction?.didChange(link.owner)
  }

  private func distinct(_ keys: [[StoredValue]]) -> [[StoredValue]] {
    var seen: Set<GroupKey> = []
    return keys.filter { seen.insert(GroupKey($0)).inserted }
  }
}

extension DerivedUpkeep {
  /// The number of owners that are looked at together.
  private static var batch: Int { 2_000 }

  /// Computes the attributes derived of a to-many again for every owner; gives the number of owners with
  /// wrong ones.
  package func rebuild(_ link: DerivedLink) throws -> Int {
    let key = link.owner.key
    let rows = try reader.rows(
      of: FetchRequest(
        of: link.owner, output: .values(key.map { .attribute(link.owner.columns[$0].attribute) })))
    let keys = rows
    var count = 0
    for start in stride(from: 0, to: keys.count, by: Self.batch) {
      count += try refresh(link, Array(keys[start..<min(start + Self.batch, keys.count)]))
    }
    return count
  }
}
