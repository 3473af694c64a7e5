#if Macros
  internal import Foundation
  internal import ORM
  internal import ORMCore
  internal import Testing

  /// Kinds, derived attributes, data beside the rows and graphs of made models, on the three stores.
  @Suite struct MadeKindTests {
    @Test(arguments: StoreKind.everywhere)
    func `M9: rows are fetched by every model above them, and as what they are`(
      _ kind: StoreKind
    ) throws {
      let schema = try Schema(
        MacroMade.Vehicle.self, MacroMade.Car.self, MacroMade.SportsCar.self, MacroMade.Truck.self)
      try kind.withTestStore(schema) { store in
        try store.save(MacroMade.Vehicle(id: 1, name: "bike", wheels: 2))
        try store.save(MacroMade.Car(id: 2, name: "ant", wheels: 4, doors: 3, plate: "A"))
        try store.save(
          MacroMade.SportsCar(id: 3, name: "bolt", wheels: 4, doors: 2, plate: nil, speed: 310))
        try store.save(MacroMade.Truck(id: 4, name: "ox", wheels: 6, load: 12, doors: "two"))
        #expect(
          try store.fetch(MacroMade.Vehicle.all).map(\.name) == ["bike", "ant", "bolt", "ox"])
        #expect(try store.fetch(MacroMade.Car.all).map(\.doors) == [3, 2])
        #expect(try store.find(MacroMade.Car.self, 4) == nil)
        let kinds = try store.fetch(MacroMade.Vehicle.all, as: .concrete).map { "\(type(of: $0))" }
        #expect(kinds == ["Vehicle", "Car", "SportsCar", "Truck"])
        // Names are unique, whatever kind has them.
        try expectFailure(.duplicate, "Vehicle") {
          try store.update(MacroMade.Vehicle.all.where { $0.wheels == 4 }) { $0.name = "ox" }
        }
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `M3: a key of any name has an id`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(MacroMade.Coupon.self, MacroMade.Booth.self)) { store in
        let coupon = try store.save(MacroMade.Coupon(label: "a"))
        #expect([coupon.id, coupon.couponNumber] == [1, 1])
        let booth = MacroMade.Booth(spot: .init(hall: "x", number: 4), coupon: .to(coupon))
        try store.save(booth)
        #expect(try store.find(MacroMade.Booth.self, booth.id)?.coupon.id == 1)
        #expect(try store.count(MacroMade.Booth.all.where { $0.id.number == 4 }) == 1)
        #expect(
          try store.count(MacroMade.Coupon.all.where { $0.id == 1 && $0.couponNumber == 1 }) == 1)
        var other = coupon
        other.id = 9
        #expect(try store.save(other).couponNumber == 9)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `4.1, 5.6: derived attributes follow their targets and can be asked`(
      _ kind: StoreKind
    ) throws {
      let schema = try Schema(
        MacroMade.Guild.self, MacroMade.Region.self, MacroMade.Fellow.self, MacroMade.Medal.self,
        MacroMade.Sponsor.self,
        MacroMade.Contract.self, MacroMade.Locker.self)
      try kind.withTestStore(schema) { store in
        try store.save(MacroMade.Region(id: 5))
        var guild = MacroMade.Guild(id: 1, title: "a", memberCount: 7)
        guild.region = .key(5)
        guild.members = [
          MacroMade.Fellow(points: 4, weight: 0.5), MacroMade.Fellow(points: 6, fee: 1.5),
          MacroMade.Fellow(),
        ]
        guild.badges = [
          MacroMade.Medal(id: 1, name: "x", worth: 10),
          MacroMade.Medal(id: 2, name: "b", worth: 20),
        ]
        guild.lockers = [MacroMade.Locker(id: 1, size: 7), MacroMade.Locker(id: 2, size: .max - 7)]
        guild = try store.save(guild)
        #expect(guild.memberCount == 3)
        #expect(guild.points == 10)
        #expect([guild.least, guild.most] == [4, 6])
        #expect(guild.mean == 5)
        #expect(guild.weight == 0.5)
        #expect(guild.fees == 1.5)
        #expect(guild.badgeCount == 2)
        #expect(guild.worth == 30)
        #expect(guild.firstBadge == "b")
        #expect(guild.room == .max)
        #expect(guild.largest == UInt64.max - 7)
        #expect(try store.find(MacroMade.Region.self, 5)?.people == 3)
        #expect(try store.find(MacroMade.Region.self, 5)?.fullest == 3)
        try store.delete(MacroMade.Fellow.all.where { $0.points == 6 })
        let read = try #require(
          try store.first(MacroMade.Guild.all.where { $0.memberCount == 2 }))
        #expect(read.most == 4)
        try expectFailure(.invalidValue, "Guild") {
          try store.update(MacroMade.Guild.all) { $0.points = 3 }
        }
        #expect(try store.check().isSound)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `M5: data above a threshold comes back, wherever it is kept`(_ kind: StoreKind) throws {
      try kind.withTestStore(Schema(MacroMade.Picture.self, MacroMade.Album.self)) { store in
        let large = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
        var album = MacroMade.Album(cover: large)
        album.pictures = [
          MacroMade.Picture(id: 1, title: "a", image: large, raw: [1], album: .notLoaded),
          MacroMade.Picture(id: 2, title: "b", image: nil, raw: Array(large), album: .notLoaded),
        ]
        album = try store.save(album)
        let read = try #require(try store.first(MacroMade.Album.all.prefetch(\.pictures)))
        #expect(read.cover == large)
        #expect(read.pictures.loaded?.map(\.image) == [large, nil])
        #expect(read.pictures.loaded?.map(\.raw) == [[1], Array(large)])
        try store.patch(MacroMade.Picture.self, 1) { $0.image = Data([9]) }
        #expect(try store.find(MacroMade.Picture.self, 1)?.image == Data([9]))
        try store.delete(album)
        #expect(try store.count(MacroMade.Picture.self) == 0)
        #expect(try store.check().isSound)
      }
    }

    @Test(arguments: StoreKind.everywhere)
    func `5.7, 5.8: graphs are saved with counts, orders and delete rules`(_ kind: StoreKind)
      throws
    {
      let schema = try Schema(
        MacroMade.Crew.self, MacroMade.Sailor.self, MacroMade.Port.self, MacroMade.Folder.self,
        MacroMade.Course.self,
        MacroMade.Student.self, MacroMade.Attendance.self)
      try kind.withTestStore(schema) { store in
        try expectFailure(.validationFailed, "Crew") { try store.save(MacroMade.Crew(id: 1)) }
        var crew = MacroMade.Crew(
          id: 1, sailors: [MacroMade.Sailor(id: 1), MacroMade.Sailor(id: 2)])
        crew.ports = [MacroMade.Port(id: 8)]
        try store.save(crew)
        #expect(try store.count(MacroMade.Sailor.all.where { $0.crew.id == 1 }) == 2)

        let root = try store.save(
          MacroMade.Folder(
            name: "/", children: [MacroMade.Folder(name: "z"), MacroMade.Folder(name: "a")]))
        #expect(try store.load(root, \.children).map(\.name) == ["z", "a"])
        try store.delete(root)
        #expect(try store.count(MacroMade.Folder.self) == 0)

        try store.save(MacroMade.Course(id: 3, students: [MacroMade.Student(id: "s")]))
        let link = try #require(try store.first(MacroMade.Attendance.all))
        #expect(link.weight == 3)
        #expect(link.student.id == "s")
        try store.delete(MacroMade.Course.self, id: 3)
        #expect(try store.count(MacroMade.Attendance.self) == 0)
      }
    }
  }
#endif
