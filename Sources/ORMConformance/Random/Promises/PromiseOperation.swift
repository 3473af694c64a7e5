internal import FoundationEssentials
internal import ORM
internal import ORMMigrations

/// One operation on salons and exhibits.
enum PromiseOperation {
  enum Mode { case save, insert, update }
  enum Merge { case replace, skippingNil, insertOnly, only, onlyWithLink }
  enum Element {
    case object(ExhibitDraft)
    case key(Int64)

    var id: Int64 {
      switch self {
      case .object(let draft): draft.id
      case .key(let id): id
      }
    }
  }
  enum Change {
    case worth(Int)
    case title(String)
    case mount(Mount?)
    case width(Int)
    case image(Data?)
    case salon(Int64?)
    case version(Int)
    case hidden(Date)
  }

  case put(Mode, [ExhibitDraft])
  case merge(Merge, ExhibitDraft)
  case match(String, ExhibitDraft)
  case patch(Int64, Change)
  case update(from: Int64, Change)
  case show(from: Int64)
  case rows([ExhibitDraft], isWhole: Bool)
  case graph(Salon, [Element])
  case insert(ExhibitDraft, into: Int64)
  case attach([Int64], to: Int64)
  case detach([Int64], from: Int64)
  case delete([Int64], areSalons: Bool)
  case restore([Int64], areSalons: Bool)
  case purge([Int64], areSalons: Bool)
}

extension PromiseMaker {
  mutating func operation() -> PromiseOperation {
    switch random.number(1...24) {
    case 1...3:
      let mode = random.pick([PromiseOperation.Mode.save, .save, .insert, .update])
      var drafts = (0..<random.number(1...3)).map { _ in draft() }
      if mode == .insert {
        var seen: Set<Int64> = []
        drafts = drafts.filter { seen.insert($0.id).inserted }
      }
      return .put(mode, drafts)
    case 4, 5:
      let merge = random.pick([
        PromiseOperation.Merge.replace, .skippingNil, .insertOnly, .only, .onlyWithLink,
      ])
      return .merge(merge, draft(links: merge != .insertOnly && merge != .only))
    case 6: return .match(title(), draft())
    case 7, 8: return .patch(exhibit(), change())
    case 9, 10: return .update(from: exhibit(), change())
    case 11: return .show(from: exhibit())
    case 12, 13:
      let isWhole = random.chance(2)
      let ids = some(Self.exhibits).filter { naive.exhibits[$0] != nil || isWhole }
      return .rows(ids.map { draft($0) }, isWhole: isWhole)
    case 14...16:
      let id = salon()
      var salon = Salon(
        id, random.pick(["x", "y", "keep"] + (random.chance(6) ? ["too long"] : [])))
      salon.version = naive.salons[id]?.version ?? 0
      salon.touched = naive.salons[id]?.touched ?? 0
      if random.chance(3), let stored = naive.salons[id] { salon.name = stored.name }
      let elements = some(Self.exhibits).prefix(random.number(0...4)).map {
        random.chance(2) ? PromiseOperation.Element.object(draft($0, links: false)) : .key($0)
      }
      return .graph(salon, elements)
    case 17: return .insert(draft(links: false), into: salon())
    case 18: return .attach(some(Self.exhibits), to: salon())
    case 19: return .detach(some(Self.exhibits), from: salon())
    case 20, 21:
      let areSalons = random.chance(3)
      return .delete(some(areSalons ? Self.salons : Self.exhibits), areSalons: areSalons)
    case 22, 23:
      let areSalons = random.chance(2)
      return .restore(some(areSalons ? Self.salons : Self.exhibits), areSalons: areSalons)
    default:
      let areSalons = random.chance(2)
      return .purge(some(areSalons ? Self.salons : Self.exhibits), areSalons: areSalons)
    }
  }

  private mutating func change() -> PromiseOperation.Change {
    switch random.number(1...10) {
    case 1, 2: .worth(random.number(-2...2))
    case 3: .title(title())
    case 4: .mount(mount())
    case 5: .width(random.number(0...3))
    case 6: .image(image())
    case 7, 8: .salon(random.chance(4) ? nil : salon())
    case 9: .version(random.number(0...9))
    default: .hidden(timestamp())
    }
  }
}
