internal import FoundationEssentials
internal import ORM
internal import ORMMigrations

extension PromiseOperation {
  /// Does it to the naive model; gives how many rows the operation reports.
  func run(on naive: inout NaiveSalons, _ timestamps: [NaiveSalons.Hiding: Date]) -> Int {
    switch self {
    case .put(let mode, let drafts):
      var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
      for draft in Dictionary(drafts.map { ($0.id, $0) }, uniquingKeysWith: { $1 }).values {
        let isThere = naive.exhibits[draft.id] != nil
        if mode == .update, !isThere {
          // Its other faults may be reported as well.
          naive.fault("notFound")
        }
        if mode == .insert, isThere {
          naive.fault("duplicate")
          naive.exhibits[draft.id] = nil
        }
        rows[draft.id] = naive.meant(draft, draft.id, timestamps)
      }
      naive.write(rows)
      return 0
    case .merge(let merge, let draft):
      let id = draft.id
      guard let old = naive.exhibits[id] else {
        if merge == .only || merge == .onlyWithLink {
          naive.fault("missingValue")
          naive.link(draft, from: nil)
        } else {
          naive.write([id: naive.meant(draft, id, timestamps)])
        }
        return 0
      }
      switch merge {
      case .replace: naive.write([id: naive.meant(draft, id, timestamps)])
      case .insertOnly: break
      case .only:
        var row = old
        row.worth = draft.exhibit.worth
        naive.write([id: row])
      case .onlyWithLink:
        var row = old
        row.worth = draft.exhibit.worth
        row.salon = naive.link(draft, from: old.salon)
        naive.write([id: row])
      case .skippingNil:
        var row = naive.meant(draft, id, timestamps)
        row.mount = row.mount ?? old.mount
        row.image = row.image ?? old.image
        row.hidden = row.hidden ?? old.hidden
        row.salon = row.salon ?? old.salon
        naive.write([id: row])
      }
      return 0
    case .match(let title, let draft):
      let matched = naive.seen.filter { $0.value.title == title }.keys
      var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
      for id in matched { rows[id] = naive.meant(draft, id, timestamps) }
      if matched.isEmpty {
        if naive.exhibits[draft.id] != nil {
          naive.fault("duplicate")
          naive.exhibits[draft.id] = nil
        }
        rows[draft.id] = naive.meant(draft, draft.id, timestamps)
      }
      naive.write(rows)
      return 0
    case .patch(let id, let change):
      if naive.seen[id] == nil {
        naive.fault("notFound")
        return 0
      }
      apply(change, to: [id], of: &naive, timestamps)
      return 1
    case .update(let low, let change):
      let ids = naive.seen.keys.filter { $0 >= low }
      apply(change, to: ids, of: &naive, timestamps)
      return ids.count
    case .show(let low):
      let ids = naive.exhibits.keys.filter { $0 >= low }
      var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
      for id in ids {
        var row = naive.exhibits[id]
        row?.hidden = nil
        rows[id] = row
      }
      naive.write(rows)
      return ids.count
    case .rows(let drafts, let isWhole):
      var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
      for draft in drafts {
        var row = naive.meant(draft, draft.id, timestamps, namesVersion: isWhole)
        if !isWhole, let old = naive.exhibits[draft.id] {
          let salon = row.salon
          let worth = row.worth
          row = old
          row.salon = salon
          row.worth = worth
          row.mount = nil
        }
        rows[draft.id] = row
      }
      naive.write(rows)
      return 0
    default: return runLinks(on: &naive, timestamps)
    }
  }

  private func apply(
    _ change: Change, to ids: [Int64], of naive: inout NaiveSalons,
    _ timestamps: [NaiveSalons.Hiding: Date]
  ) {
    var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
    for id in ids {
      guard var row = naive.exhibits[id] else { continue }
      switch change {
      case .worth(let amount): row.worth += amount
      case .title(let title): row.title = title
      case .mount(let mount): row.mount = mount
      case .width(let width):
        if row.mount == nil { naive.fault("missingValue") }
        row.mount?.width = width
      case .image(let image): row.image = image
      case .salon(let salon):
        if let salon, !naive.isSeen(salon: salon), row.salon != salon {
          naive.fault("missingTarget")
        }
        row.salon = salon
      case .version(let version): row.version = version
      case .hidden(let date): row.hidden = .init(date, timestamps)
      }
      rows[id] = row
    }
    naive.write(rows)
  }

  private func runLinks(
    on naive: inout NaiveSalons,
    _ timestamps: [NaiveSalons.Hiding: Date]
  ) -> Int {
    var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
    func move(_ id: Int64, to salon: Int64?) {
      guard var row = rows[id] ?? naive.exhibits[id] else { return }
      row.salon = salon
      rows[id] = row
    }
    switch self {
    case .graph(let salon, let elements):
      let old = naive.salons[salon.id]
      if naive.setup.hasVersions, let old, old.version != salon.version { naive.fault("conflict") }
      for (id, row) in naive.seen where row.salon == salon.id { move(id, to: nil) }
      for element in elements {
        switch element {
        case .object(let draft): rows[draft.id] = naive.meant(draft, draft.id, timestamps)
        case .key(let id):
          let isHeld = naive.exhibits[id]?.salon == salon.id
          if naive.seen[id] == nil, !isHeld { naive.fault("missingTarget") }
        }
        move(element.id, to: salon.id)
      }
      naive.write([
        salon.id: NaiveSalons.SalonRow(
          name: salon.name, touched: salon.touched, version: salon.version)
      ])
      naive.write(rows)
      return 0
    case .insert(let draft, let salon):
      if !naive.isSeen(salon: salon) { naive.fault("notFound") }
      rows[draft.id] = naive.meant(draft, draft.id, timestamps)
      move(draft.id, to: salon)
      naive.write(rows)
      return 0
    case .attach(let ids, let salon):
      if !naive.isSeen(salon: salon) { naive.fault("notFound") }
      var count = 0
      for id in ids {
        let isHeld = naive.exhibits[id]?.salon == salon
        if naive.seen[id] == nil, !isHeld { naive.fault("missingTarget") }
        if !isHeld { count += 1 }
        move(id, to: salon)
      }
      naive.write(rows)
      return count
    case .detach(let ids, let salon):
      let linked = ids.filter { naive.seen[$0]?.salon == salon }
      for id in linked { move(id, to: nil) }
      naive.write(rows)
      return linked.count
    case .delete(let ids, let areSalons):
      let salons = areSalons ? ids.filter { naive.isSeen(salon: $0) } : []
      let exhibits =
        areSalons
        ? naive.seen.filter { $0.value.salon.map(salons.contains) ?? false }.map(\.key)
        : isOfAll(ids) ? Array(naive.seen.keys) : ids.filter { naive.seen[$0] != nil }
      hide(salons, exhibits, in: &naive)
      return areSalons ? salons.count : exhibits.count
    case .restore(let ids, let areSalons):
      let salons = areSalons ? ids.filter { naive.salons[$0]?.hidden != nil } : []
      let exhibits =
        areSalons
        ? naive.exhibits.filter { _, row in
          salons.contains { $0 == row.salon && naive.salons[$0]?.hidden == row.hidden }
        }.map(\.key) : ids.filter { naive.exhibits[$0]?.hidden != nil }
      show(salons, exhibits, in: &naive)
      return areSalons ? salons.count : exhibits.count
    case .purge(let ids, let areSalons):
      return purge(ids, areSalons: areSalons, in: &naive)
    default: return 0
    }
  }

  private func hide(_ salons: [Int64], _ exhibits: [Int64], in naive: inout NaiveSalons) {
    set(.operation(naive.operation), salons, exhibits, in: &naive)
  }

  private func show(_ salons: [Int64], _ exhibits: [Int64], in naive: inout NaiveSalons) {
    set(nil, salons, exhibits, in: &naive)
  }

  private func set(
    _ hiding: NaiveSalons.Hiding?, _ salons: [Int64], _ exhibits: [Int64],
    in naive: inout NaiveSalons
  ) {
    var owners: [Int64: NaiveSalons.SalonRow?] = [:]
    for id in salons {
      var row = naive.salons[id]
      row?.hidden = hiding
      owners[id] = row
    }
    var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
    for id in exhibits {
      var row = naive.exhibits[id]
      row?.hidden = hiding
      rows[id] = row
    }
    naive.write(owners)
    naive.write(rows)
  }

  private func purge(_ ids: [Int64], areSalons: Bool, in naive: inout NaiveSalons) -> Int {
    var owners: [Int64: NaiveSalons.SalonRow?] = [:]
    var rows: [Int64: NaiveSalons.ExhibitRow?] = [:]
    guard areSalons else {
      for id in ids where naive.exhibits[id]?.hidden != nil {
        rows.updateValue(nil, forKey: id)
      }
      naive.write(rows)
      return rows.count
    }
    for id in ids where naive.salons[id]?.hidden != nil {
      owners.updateValue(nil, forKey: id)
      for (exhibit, row) in naive.exhibits where row.salon == id {
        var hidden = row
        hidden.hidden = .operation(naive.operation)
        hidden.salon = nil
        // Rows that were hidden before are purged with it; visible ones are hidden and detached.
        rows.updateValue(row.hidden == nil ? hidden : nil, forKey: exhibit)
      }
    }
    naive.write(owners)
    naive.write(rows)
    return owners.count
  }
}

extension NaiveSalons {
  /// Returns the row that an object makes of the one stored under a key, and records the faults.
  fileprivate mutating func meant(
    _ draft: ExhibitDraft, _ id: Int64, _ timestamps: [Hiding: Date], namesVersion: Bool = true
  ) -> ExhibitRow {
    let old = exhibits[id]
    let exhibit = draft.exhibit
    if let old, namesVersion, setup.hasVersions, old.version != exhibit.version {
      fault("conflict")
    }
    var row = ExhibitRow(
      title: exhibit.title, worth: exhibit.worth, most: exhibit.most, mount: exhibit.mount,
      image: exhibit.image, touched: exhibit.touched, version: exhibit.version,
      hidden: exhibit.hidden.map { .init($0, timestamps) }, salon: nil)
    row.salon = link(draft, from: old?.salon)
    return row
  }

  /// Returns the salon that an object leads to of one that leads to another, and records the fault.
  @discardableResult
  fileprivate mutating func link(_ draft: ExhibitDraft, from old: Int64?) -> Int64? {
    switch draft.link {
    case .nothing: return old
    case .none: return nil
    case .salon(let salon):
      if !isSeen(salon: salon), old != salon { fault("missingTarget") }
      return salon
    }
  }
}
